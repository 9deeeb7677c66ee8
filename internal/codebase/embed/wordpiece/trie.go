package wordpiece

// The two roots: of tokens that begin a word, and of those that go on with one
// ("##ing"). Node 0 means none.
const (
	rootInitial   uint32 = 1
	rootContinued uint32 = 2
)

// trie holds the vocabulary as edges in one open hash table: a step is one
// look-up, and the whole of BERT's vocabulary is 2 MB.
type trie struct {
	edges []edge
	shift uint
	used  int
	value []int32 // token that ends at a node, or -1
}

// edge goes from key>>8 over the byte key&255 to next; a key of 0 is free.
type edge struct{ key, next uint32 }

func newTrie(sizeHint int) trie {
	bits := uint(10)
	for 1<<bits < sizeHint*2 {
		bits++
	}
	return trie{
		edges: make([]edge, 1<<bits),
		shift: 32 - bits,
		value: []int32{-1, -1, -1},
	}
}

// slot is where the search for a key begins. The factor is Knuth's, 2^32
// divided by the golden ratio.
func (t *trie) slot(key uint32) uint32 { return key * 2654435769 >> t.shift }

// next is the node that b leads to, 0 for none.
func (t *trie) next(node uint32, b byte) uint32 {
	// Linear probing: the table is at most half full, so a miss ends soon, and
	// the next slot is in the same cache line.
	key := node<<8 | uint32(b)
	mask := uint32(len(t.edges) - 1)
	for i := t.slot(key); ; i = (i + 1) & mask {
		switch t.edges[i].key {
		case key:
			return t.edges[i].next
		case 0:
			return 0
		}
	}
}

// add puts a token below a root. The first of two equal tokens stays.
func (t *trie) add(root uint32, token string, id int32) {
	node := root
	for i := range len(token) {
		to := t.next(node, token[i])
		if to == 0 {
			to = uint32(len(t.value))
			t.value = append(t.value, -1)
			t.insert(edge{node<<8 | uint32(token[i]), to})
		}
		node = to
	}
	if t.value[node] < 0 {
		t.value[node] = id
	}
}

func (t *trie) insert(e edge) {
	if t.used*2 >= len(t.edges) {
		t.grow()
	}
	t.used++
	mask := uint32(len(t.edges) - 1)
	i := t.slot(e.key)
	for t.edges[i].key != 0 {
		i = (i + 1) & mask
	}
	t.edges[i] = e
}

func (t *trie) grow() {
	old := t.edges
	t.edges = make([]edge, 2*len(old))
	t.shift--
	t.used = 0
	for _, e := range old {
		if e.key != 0 {
			t.insert(e)
		}
	}
}
