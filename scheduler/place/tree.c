/* tree.c: see tree.h. A node is made from its children alone, so a tree is the same however it came about. */
#include "scheduler/place/tree.h"

enum { FANOUT_BITS = 4, FANOUT = 1 << FANOUT_BITS };

static uint32_t parents(uint32_t count) { return count / FANOUT + (count % FANOUT != 0); }

size_t tree_nodes(uint32_t count)
{
    size_t sum = 0;
    while (count > 1) { sum += count = parents(count); }
    return sum;
}

static struct tree_node node_of_leaves(const struct tree *tree, uint32_t first)
{
    uint32_t end = first + FANOUT < tree->count ? first + FANOUT : tree->count;
    struct tree_node node = { RANK_OUT, 0 };
    for (uint32_t leaf = first; leaf < end; leaf++) { node.least = tree->leaves[leaf] < node.least ? tree->leaves[leaf] : node.least; }
    for (uint32_t leaf = first; leaf < end && node.least != RANK_OUT; leaf++) { node.ties += tree->leaves[leaf] == node.least; }
    return node;
}

static struct tree_node node_of_nodes(const struct tree *tree, uint32_t level, uint32_t first)
{
    const struct tree_node *nodes = tree->nodes + tree->level_first[level];
    uint32_t count = tree->level_count[level], end = first + FANOUT < count ? first + FANOUT : count;
    struct tree_node node = { RANK_OUT, 0 };
    for (uint32_t n = first; n < end; n++) { node.least = nodes[n].least < node.least ? nodes[n].least : node.least; }
    for (uint32_t n = first; n < end; n++) { node.ties += nodes[n].least == node.least ? nodes[n].ties : 0; }
    return node;
}

static struct tree_node node_make(const struct tree *tree, uint32_t level, uint32_t number)
{
    return level == 0 ? node_of_leaves(tree, number << FANOUT_BITS) : node_of_nodes(tree, level - 1, number << FANOUT_BITS);
}

void tree_build(struct tree *tree, rank *leaves, uint32_t count, struct tree_node *nodes)
{
    *tree = (struct tree){ .leaves = leaves, .count = count, .nodes = nodes };
    uint32_t first = 0;
    for (uint32_t below = count; below > 1; tree->levels++) {
        ASSERT(tree->levels < TREE_LEVELS_MAX);
        below = parents(below);
        tree->level_first[tree->levels] = first;
        tree->level_count[tree->levels] = below;
        for (uint32_t n = 0; n < below; n++) { nodes[first + n] = node_make(tree, tree->levels, n); }
        first += below;
    }
    ASSERT(first == tree_nodes(count));
}

void tree_change(struct tree *tree, uint32_t leaf)
{
    ASSERT(leaf < tree->count);
    uint32_t number = leaf;
    for (uint32_t level = 0; level < tree->levels; level++) {
        number >>= FANOUT_BITS;
        struct tree_node *node = &tree->nodes[tree->level_first[level] + number], made = node_make(tree, level, number);
        if (made.least == node->least && made.ties == node->ties) { return; }
        *node = made;
    }
}

struct tree_node tree_root(const struct tree *tree)
{
    if (tree->levels > 0) { return tree->nodes[tree->level_first[tree->levels - 1]]; }
    bool counts = tree->count == 1 && tree->leaves[0] != RANK_OUT;
    return counts ? (struct tree_node){ tree->leaves[0], 1 } : (struct tree_node){ RANK_OUT, 0 };
}

/* Where all the leaves under a node are equal, the nth is counted off. */
uint32_t tree_find(const struct tree *tree, uint32_t nth)
{
    rank least = tree_root(tree).least;
    ASSERT(least != RANK_OUT && nth < tree_root(tree).ties);
    uint32_t number = 0;
    for (uint32_t level = tree->levels; level-- > 1;) {
        const struct tree_node *below = tree->nodes + tree->level_first[level - 1];
        for (number <<= FANOUT_BITS; below[number].least != least || below[number].ties <= nth; number++) {
            nth -= below[number].least == least ? below[number].ties : 0;
        }
        unsigned bits = level * FANOUT_BITS;
        if (below[number].ties >> bits == 1) { return (number << bits) + nth; }
    }
    if (tree->levels == 0) { return 0; }
    for (number <<= FANOUT_BITS; tree->leaves[number] != least || nth > 0; number++) { nth -= tree->leaves[number] == least; }
    ASSERT(number < tree->count);
    return number;
}
