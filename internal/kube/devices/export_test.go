package devices

// Dump is all that the book holds, as text.
func (d *Devices) Dump() map[string]string { return d.dump() }
