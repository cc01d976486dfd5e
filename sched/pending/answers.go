package pending

// Answers remembers answers that may depend on the whole state, by question. All are forgotten once anything
// has changed. The zero Answers is empty.
type Answers[Q comparable, A any] struct {
	at Versions
	of map[Q]A
}

// Remember notes an answer that was found now.
func (m *Answers[Q, A]) Remember(x *Index, q Q, a A) {
	if now := x.Now(); m.of == nil || !m.at.same(&now, Anything) {
		m.at, m.of = now, map[Q]A{}
	}
	m.of[q] = a
}

// Recall returns the answer that was remembered, if nothing has changed since.
func (m *Answers[Q, A]) Recall(x *Index, q Q) (a A, known bool) {
	if a, known = m.of[q]; known {
		if now := x.Now(); m.at.same(&now, Anything) {
			return a, true
		}
	}
	var none A
	return none, false
}
