package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// JSON writes the report as one indented document.
func (r *Report) JSON(w io.Writer) error { return writeJSON(w, r) }

// YAML writes the same document as YAML, its keys in the order of the alphabet.
func (r *Report) YAML(w io.Writer) error { return writeYAML(w, r) }

func writeJSON(w io.Writer, document any) error {
	data, err := encode(document)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func writeYAML(w io.Writer, document any) error {
	data, err := encode(document)
	if err != nil {
		return err
	}
	if data, err = yaml.JSONToYAML(data); err != nil {
		return fmt.Errorf("writing the report as YAML: %w", err)
	}
	_, err = w.Write(data)
	return err
}

func encode(document any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		return nil, fmt.Errorf("writing the report as JSON: %w", err)
	}
	return out.Bytes(), nil
}
