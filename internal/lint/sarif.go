package lint

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// The document of SARIF 2.1.0, as far as findings need it.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   Severity     `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Help    sarifMessage `json:"help"`
		Default struct {
			Level Severity `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     Severity        `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// SARIF writes the findings in the Static Analysis Results Interchange Format, version 2.1.0, which code hosts show
// beside the lines. version is that of the tool.
func (r *Report) SARIF(w io.Writer, version string) error {
	run := sarifRun{Results: []sarifResult{}}
	all := sarifInvocation{Successful: true}
	for _, what := range r.Unchecked {
		all.Notifications = append(all.Notifications, sarifNotification{Note, sarifMessage{"not looked at: " + what}})
	}
	run.Invocations = []sarifInvocation{all}
	run.Tool.Driver = sarifDriver{Name: "ashlar lint", Version: version}
	index := map[string]int{}
	for i, name := range Rules() {
		of := sarifRule{ID: name, Short: sarifMessage{rules[name].title}, Help: sarifMessage{rules[name].do}}
		of.Default.Level = rules[name].severity
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, of)
		index[name] = i
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarifResult{RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Severity,
			Message: sarifMessage{f.Message + ". What to do: " + f.Do}}
		if at := f.location(); at.Physical != nil || at.Logical != nil {
			result.Locations = []sarifLocation{at}
		}
		run.Results = append(run.Results, result)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{run}})
}

// location is where a finding is: in a file, in an object, or both. Of a live cluster there is no file.
func (f *Finding) location() (at sarifLocation) {
	object, _, _ := strings.Cut(f.Object, " ") // without how many more there are
	if configMap, is := strings.CutPrefix(f.File, LiveConfiguration); is {
		object = cmp.Or(object, "ConfigMap/"+configMap)
	} else if f.File != "" {
		at.Physical = &sarifPhysical{}
		at.Physical.Artifact.URI = uri(f.File)
		if f.Line > 0 {
			at.Physical.Region = &sarifRegion{f.Line}
		}
	}
	if object != "" {
		at.Logical = []sarifLogical{{Name: object[strings.LastIndexByte(object, '/')+1:], Full: object, Kind: "resource"}}
	}
	return at
}

// uri is a file's name as a relative reference, and with a scheme where the path is absolute: what a URI may not have
// is escaped.
func uri(file string) string {
	of := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		of.Scheme, of.Path = "file", "/"+strings.TrimPrefix(of.Path, "/") // before the letter of a drive, too
	}
	return of.String()
}
