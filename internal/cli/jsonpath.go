//go:build !simulator

package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/client-go/util/jsonpath"
)

// checkJSONPath refuses a template that cannot be read.
func checkJSONPath(template string) error {
	if err := jsonpath.New("output").Parse(template); err != nil {
		return fmt.Errorf("--output jsonpath: %w", err)
	}
	return nil
}

// printJSONPath prints what a template picks of a document, as kubectl does.
func printJSONPath(w io.Writer, template string, document any) error {
	data, err := json.Marshal(document)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	path := jsonpath.New("output").AllowMissingKeys(true)
	if err := path.Parse(template); err != nil {
		return err
	}
	return path.Execute(w, plain)
}
