# failures.awk: the failed tests in the log of a suite, with the first lines of what was wrong: awk -f tests/failures.awk LOG. Knows the
# words of node's test runner, of check.h, of unittest, of the simulation, of tidy, of the compilers and of the sanitizers. Lines that
# begin with "| " are of a first try that does not count (lib.sh).
function take(lines) { print; more = lines; found++ }

/^\| /                                                                   { more = 0; next }
/^✖ failing tests:/                                                      { node = 1; next }
node && /^✖ /                                                            { take(12); next }
node && (/^test at / || /^$/)                                            { more = 0; next }
/^(✔|▶|ℹ|==) / || /^[0-9]+ passed, [0-9]+ failed/                        { node = more = 0; next }
/^not ok /                                                               { take(12); next }
/^(FAIL|ERROR): /                                                        { take(16); next }
/^[^ ]+\.[ch]:[0-9]+: .*(, wanted |not true: |assertion failed: )/       { take(0); next }
/^sim: / || /^seed [0-9]+ failed; alone: /                               { take(0); next }
/(ERROR: [A-Za-z]+Sanitizer|WARNING: ThreadSanitizer|: runtime error: )/ { take(8); next }
/^[^ ]+:[0-9]+:[0-9]+: (fatal )?error: |undefined reference to/          { take(2); next }
/^(include directions|doors|owners of libraries|banned functions|leftovers|lengths|headers say[^:]*|documents|places): / { take(0); next }
more > 0                                                                 { print; more-- }
$0 != ""                                                                 { last[++count % 6] = $0 }

# Nothing that is known: how it ended.
END { if (!found) { for (n = count - 5; n <= count; n++) { if (n > 0) { print last[n % 6] } } } }
