// history FILE: is what clients saw linearizable? Each line of the file is one call, as JSON:
//
//	{"client":0,"key":"a","writes":true,"value":"7","call":12,"return":34}
//
// Times are of one clock. A read has the value that it got. A write without "return" had no answer that counts: it may have happened at any time after
// its call, or never. The exit status is 0 if there is an order of all calls that explains what each of them saw, 1 if there is none.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type call struct {
	Client int    `json:"client"`
	Key    string `json:"key"`
	Writes bool   `json:"writes"`
	Value  string `json:"value"`
	Call   int64  `json:"call"`
	Return *int64 `json:"return"`
}

// Each key is a register of its own.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		keys := map[string][]porcupine.Operation{}
		for _, one := range history {
			key := one.Input.(call).Key
			keys[key] = append(keys[key], one)
		}
		parts := [][]porcupine.Operation{}
		for _, part := range keys {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() interface{} { return "" },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		one := input.(call)
		if one.Writes {
			return true, one.Value
		}
		return state.(string) == one.Value, state
	},
}

func read(name string) ([]porcupine.Operation, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	history := []porcupine.Operation{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one call
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, err
		}
		end := int64(math.MaxInt64)
		if one.Return != nil {
			end = *one.Return
		}
		history = append(history, porcupine.Operation{ClientId: one.Client, Input: one, Call: one.Call, Output: nil, Return: end})
	}
	return history, nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: history FILE")
		os.Exit(2)
	}
	history, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	switch porcupine.CheckOperationsTimeout(model, history, 2*time.Minute) {
	case porcupine.Ok:
		fmt.Printf("%d calls can be put in one order\n", len(history))
	case porcupine.Illegal:
		fmt.Printf("%d calls can't be put in one order\n", len(history))
		os.Exit(1)
	default:
		fmt.Println("no answer in two minutes")
		os.Exit(2)
	}
}
