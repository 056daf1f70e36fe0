/* A cache of fixed size that drops what was used longest ago. Not thread-safe. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LRU_NONE UINT32_MAX

struct lru_slot {
	uint64_t key;
	void    *value;
	uint32_t newer, older;
};

struct lru {
	struct lru_slot *slots;
	uint32_t capacity, used, newest, oldest;
	void (*drop)(void *value);
};

int lru_init(struct lru *c, uint32_t capacity, void (*drop)(void *))
{
	if (capacity == 0 || capacity == LRU_NONE)
		return -1;
	c->slots = calloc(capacity, sizeof *c->slots);
	if (!c->slots)
		return -1;
	c->capacity = capacity;
	c->used = 0;
	c->newest = c->oldest = LRU_NONE;
	c->drop = drop;
	return 0;
}

static void unlink_slot(struct lru *c, uint32_t i)
{
	struct lru_slot *s = &c->slots[i];

	if (s->newer != LRU_NONE)
		c->slots[s->newer].older = s->older;
	else
		c->newest = s->older;
	if (s->older != LRU_NONE)
		c->slots[s->older].newer = s->newer;
	else
		c->oldest = s->newer;
}

static void push_newest(struct lru *c, uint32_t i)
{
	struct lru_slot *s = &c->slots[i];

	s->newer = LRU_NONE;
	s->older = c->newest;
	if (c->newest != LRU_NONE)
		c->slots[c->newest].newer = i;
	else
		c->oldest = i;
	c->newest = i;
}

void *lru_get(struct lru *c, uint64_t key)
{
	for (uint32_t i = c->newest; i != LRU_NONE; i = c->slots[i].older) {
		if (c->slots[i].key == key) {
			unlink_slot(c, i);
			push_newest(c, i);
			return c->slots[i].value;
		}
	}
	return NULL;
}

void lru_put(struct lru *c, uint64_t key, void *value)
{
	uint32_t i;

	if (c->used < c->capacity) {
		i = c->used++;
	} else {
		i = c->oldest;
		unlink_slot(c, i);
		if (c->drop)
			c->drop(c->slots[i].value);
	}
	c->slots[i].key = key;
	c->slots[i].value = value;
	push_newest(c, i);
}
