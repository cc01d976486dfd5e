package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// breaks says where a value is not as a schema has it: a type, a field that is missing, or one that is not known.
func breaks(schema map[string]any, value any, at string) (out []string) {
	is := ""
	switch v := value.(type) {
	case string:
		is = "string"
	case bool:
		is = "boolean"
	case float64:
		if is = "number"; schema["type"] == "integer" && v == float64(int64(v)) {
			is = "integer"
		}
	case []any:
		is = "array"
		for i, x := range v {
			if items, has := schema["items"].(map[string]any); has {
				out = append(out, breaks(items, x, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case map[string]any:
		is = "object"
		properties, _ := schema["properties"].(map[string]any)
		more, others := schema["additionalProperties"].(map[string]any)
		for name, x := range v {
			of, known := properties[name].(map[string]any)
			switch {
			case known:
			case others:
				of = more
			case properties == nil:
				continue
			default:
				out = append(out, at+"."+name+" is not in the schema")
				continue
			}
			out = append(out, breaks(of, x, at+"."+name)...)
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, has := v[name.(string)]; !has {
				out = append(out, at+"."+name.(string)+" is missing")
			}
		}
	}
	if is != schema["type"] {
		out = append(out, fmt.Sprintf("%s is %q, want %v", at, is, schema["type"]))
	}
	return out
}

// What the verbs print is as the schemas in docs say.
func TestDocumentsFitTheirSchemas(t *testing.T) {
	for schema, args := range map[string][]string{
		"answer":    {"why", "job", "tune", "-f", quickstart},
		"job-list":  {"jobs", "-f", quickstart},
		"node-list": {"nodes", "-f", quickstart},
		"queues":    {"queues", "--why", "-f", quickstart},
		"plan":      {"plan", "-f", "../../examples/eviction/40-urgent.yaml", "--on", quickstart},
	} {
		text, err := os.ReadFile("../../docs/" + schema + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var of map[string]any
		var document any
		got := run("", append(append([]string{"ashlar"}, args...), "-o", "json")...)
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(got.out), &document); err != nil {
			t.Fatalf("%v: %v %s", args, err, got.err)
		}
		for _, line := range breaks(of, document, schema) {
			t.Error(line)
		}
	}
	if len(breaks(map[string]any{"type": "object", "required": []any{"a"}}, map[string]any{}, "x")) != 1 {
		t.Error("a field that is missing is not found")
	}
}
