package story

import "hash/fnv"

// time reads an option about how long pods take.
func (t *template) time(key, value string) error {
	if key == "template" {
		h := fnv.New64a()
		_, err := h.Write([]byte(value))
		t.pod.Template = h.Sum64()
		return err
	}
	d, err := duration(key, value)
	times := t.pod.Rare()
	switch key {
	case "for":
		t.item.HasDuration, t.item.Duration = true, d
		if !t.guessed {
			times.Lasts = max(1, int64(d))
		}
	case "takes":
		t.item.HasDuration, t.item.Duration = true, d
	case "guess":
		t.guessed, times.Lasts = true, max(1, int64(d))
	case "limit":
		times.Limit = int64(d)
	case "grace":
		t.pod.Grace = int64(d)
	case "cooldown":
		times.Cooldown = int64(d)
	}
	t.pod.SetRare(times)
	return err
}
