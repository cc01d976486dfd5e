package session

// Heap is a priority queue by a total order: Pop returns the least. The order of an
// element must not change while it is inside, unless Heapify follows.
type Heap[T any] struct {
	items   []T
	compare func(a, b T) int
}

// NewHeap returns an empty heap that is ordered by compare.
func NewHeap[T any](compare func(a, b T) int) *Heap[T] { return &Heap[T]{compare: compare} }

// Len is the number of elements.
func (h *Heap[T]) Len() int { return len(h.items) }

// Any is one of the elements; the heap must not be empty.
func (h *Heap[T]) Any() T { return h.items[0] }

// Push inserts an element.
func (h *Heap[T]) Push(x T) {
	h.items = append(h.items, x)
	i := len(h.items) - 1
	for i > 0 {
		p := (i - 1) / 2
		if h.compare(h.items[i], h.items[p]) >= 0 {
			break
		}
		h.items[i], h.items[p] = h.items[p], h.items[i]
		i = p
	}
}

// Pop removes the least element; the heap must not be empty.
func (h *Heap[T]) Pop() T {
	top := h.items[0]
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	h.siftDown(0)
	return top
}

// Heapify restores the heap after the order of elements changed inside it.
func (h *Heap[T]) Heapify() {
	for i := len(h.items)/2 - 1; i >= 0; i-- {
		h.siftDown(i)
	}
}

// siftDown moves the element at i down to its position.
func (h *Heap[T]) siftDown(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			return
		}
		if c+1 < len(h.items) && h.compare(h.items[c+1], h.items[c]) < 0 {
			c++
		}
		if h.compare(h.items[i], h.items[c]) <= 0 {
			return
		}
		h.items[i], h.items[c] = h.items[c], h.items[i]
		i = c
	}
}
