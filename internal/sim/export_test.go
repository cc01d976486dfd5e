package sim

// Restart has the world's scheduler begin anew, with what it knows and has decided.
func (w *World) Restart() error {
	c, err := w.engine.Copy()
	if err == nil {
		w.engine = c.Engine()
	}
	return err
}
