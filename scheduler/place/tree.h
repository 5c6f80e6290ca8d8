/* tree.h: the least of many ranks, and how many share it, while single ranks change: a tree over an array, sixteen to a node,
 * so that a change costs as many steps as the number of ranks has hex digits. */
#ifndef BERTH_SCHEDULER_PLACE_TREE_H
#define BERTH_SCHEDULER_PLACE_TREE_H

#include "scheduler/place/search.h"

enum { TREE_LEVELS_MAX = 8 };                /* 16^8 ranks */
struct tree_node { rank least; uint32_t ties; };
struct tree {
    rank *leaves; uint32_t count;            /* lent; RANK_OUT does not count */
    struct tree_node *nodes;                 /* all levels, the root last; NULL for a single leaf or none */
    uint32_t level_first[TREE_LEVELS_MAX], level_count[TREE_LEVELS_MAX], levels;
};

size_t tree_nodes(uint32_t count);                               /* number of nodes of a tree with `count` leaves */
void   tree_build(struct tree *tree, rank *leaves, uint32_t count, struct tree_node *nodes);
void   tree_change(struct tree *tree, uint32_t leaf);            /* its rank is another now */
struct tree_node tree_root(const struct tree *tree);             /* RANK_OUT and no ties: no leaf counts */
uint32_t tree_find(const struct tree *tree, uint32_t nth);       /* of those that share the least rank, from 0, in order */

#endif
