package session

import "slices"

// Heap is a priority queue by a total order: Pop returns the least. Where the order of an element changes while
// it is inside, Fix or Heapify has to follow before anything else.
type Heap[T any] struct {
	items   []T
	compare func(a, b T) int
	moved   func(x T, to int) // nil, or called when an element has another index
}

// NewHeap returns an empty heap that is ordered by compare.
func NewHeap[T any](compare func(a, b T) int) *Heap[T] { return &Heap[T]{compare: compare} }

// Len is the number of elements.
func (h *Heap[T]) Len() int { return len(h.items) }

// Find is the index of the first element for which is returns true, -1 if there is none. It asks one after the other.
func (h *Heap[T]) Find(is func(T) bool) int { return slices.IndexFunc(h.items, is) }

// First is the least element; the heap must not be empty.
func (h *Heap[T]) First() T { return h.items[0] }

// Push inserts an element.
func (h *Heap[T]) Push(x T) {
	h.items = append(h.items, x)
	h.siftUp(len(h.items)-1, x)
}

// Pop removes the least element; the heap must not be empty.
func (h *Heap[T]) Pop() T {
	top := h.items[0]
	h.Remove(0)
	return top
}

// Remove removes the element with an index.
func (h *Heap[T]) Remove(i int) {
	last := len(h.items) - 1
	x := h.items[last]
	h.items = h.items[:last]
	if i < last {
		h.items[i] = x
		h.Fix(i)
	}
}

// Fix restores the heap after the order of one element changed.
func (h *Heap[T]) Fix(i int) {
	if x := h.items[i]; h.siftUp(i, x) == i {
		h.siftDown(i, x)
	}
}

// Heapify restores the heap after the order of elements changed inside it.
func (h *Heap[T]) Heapify() {
	for i := len(h.items)/2 - 1; i >= 0; i-- {
		h.siftDown(i, h.items[i])
	}
}

// siftUp puts an element at an index, or nearer to the front where it comes before the elements there, and
// returns the index.
func (h *Heap[T]) siftUp(i int, x T) int {
	for i > 0 && h.compare(x, h.items[(i-1)/2]) < 0 {
		h.put(i, h.items[(i-1)/2])
		i = (i - 1) / 2
	}
	h.put(i, x)
	return i
}

// siftDown puts an element at an index, or farther from the front where the elements there come before it.
func (h *Heap[T]) siftDown(i int, x T) {
	for c := 2*i + 1; c < len(h.items); c = 2*i + 1 {
		if c+1 < len(h.items) && h.compare(h.items[c+1], h.items[c]) < 0 {
			c++
		}
		if h.compare(x, h.items[c]) <= 0 {
			break
		}
		h.put(i, h.items[c])
		i = c
	}
	h.put(i, x)
}

func (h *Heap[T]) put(i int, x T) {
	h.items[i] = x
	if h.moved != nil {
		h.moved(x, i)
	}
}
