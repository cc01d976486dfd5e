package config

import (
	"strings"
	"testing"
)

// read parses text as the file "conf" and returns what a user would read.
func read(text string, mode Mode) (*Scheduler, string) {
	s, problems := Parse(Source{File: "conf"}, []byte(text), Volcano(), mode)
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return s, strings.Join(lines, "\n")
}

// Beginnings and endings that keep the cases to the point.
const (
	acts    = "actions: \"allocate\"\n"
	plugins = acts + "tiers:\n- plugins:\n"
	tiers   = "tiers:\n- plugins:\n  - name: gang\n"
	gang    = plugins + "  - name: gang\n"
	binpack = plugins + "  - name: binpack\n    arguments:\n"
)

type refusal struct{ text, want string }

// Every rule, with the words a user reads when it is broken at a desk.
var refusals = map[string]refusal{
	"an empty file": {
		"", `conf:1: the configuration is empty; write for example actions: "enqueue, allocate, backfill"`},
	"a file of comments": {"# nothing\n",
		`conf:1: the configuration is empty; write for example actions: "enqueue, allocate, backfill"`},
	"no actions": {
		tiers, `conf:1: there are no actions; write for example actions: "enqueue, allocate, backfill"` + "\n"},
	"empty actions": {"actions: \" \"\n" + tiers,
		`conf:1: there are no actions; write for example actions: "enqueue, allocate, backfill"`},
	"actions as a list": {"actions: [allocate]\n" + tiers, `conf:1: actions: expected names between ` +
		`commas, got a list; write for example actions: "enqueue, allocate, backfill"`},
	"a comma too many": {"actions: \"allocate,\"\n" + tiers, `conf:1: actions: a comma without a name`},
	"an unknown action": {"actions: \"enqueue, alocate\"\n" + tiers,
		`conf:1: unknown action "alocate" (did you mean "allocate"?)`},
	"an unknown top-level key": {acts + "tier:\n- plugins: []\n",
		`conf:2: unknown key "tier" (did you mean "tiers"?)`},
	"a key far from any other": {acts + tiers + "schedulerName: volcano\n", `conf:5: unknown key "schedulerName"`},
	"a key twice": {acts + tiers + "actions: \"backfill\"\n",
		`conf:5: key "actions" is given twice (first on line 1)`},
	"tiers that are no list": {acts + "tiers: gang\n", `conf:2: tiers: expected a list, got "gang"`},
	"a plugin directly in a tier": {acts + "tiers:\n- name: gang\n",
		`conf:3: a tier: unknown key "name" (a tier is written as "- plugins:" and a list)`},
	"a plugin that is a bare word": {plugins + "  - gang\n",
		`conf:4: a plugin begins with "- name: "; here is only "gang"`},
	"a plugin without a name": {plugins + "  - enableJobOrder: true\n", `conf:4: a plugin has no name`},
	"an unknown plugin": {plugins + "  - name: nodeoder\n",
		`conf:4: unknown plugin "nodeoder" (did you mean "nodeorder"?)`},
	"letters swapped in a short name": {plugins + "  - name: pbd\n", `conf:4: unknown plugin "pbd" (did you mean "pdb"?)`},
	"a plugin twice in a tier": {gang + "  - name: gang\n",
		`conf:5: plugin gang is twice in one tier (first on line 4)`},
	"an unknown flag": {gang + "    enableJobOrdr: false\n",
		`conf:5: a plugin: unknown key "enableJobOrdr" (did you mean "enableJobOrder"?)`},
	"a misspelt plugin key": {gang + "    argument: {}\n",
		`conf:5: a plugin: unknown key "argument" (did you mean "arguments"?)`},
	"a flag that is no truth value": {gang + "    enableJobOrder: 1\n",
		`conf:5: enableJobOrder: expected true or false, got "1"`},
	"a flag without a value": {gang + "    enableJobOrder:\n",
		`conf:5: enableJobOrder: expected true or false, got nothing`},
	"two spellings that differ": {gang + "    enableJobOrder: true\n    enabledJobOrder: false\n",
		`conf:6: enableJobOrder and enabledJobOrder are two spellings of one key and differ`},
	"a plugin that is not compiled": {plugins + "  - name: oldestqueue\n",
		`conf:4: unknown plugin "oldestqueue": it is neither built in nor compiled in`},
	"an argument without its prefix": {binpack + "      weight: 1\n",
		`conf:6: plugin binpack has no argument "weight" (did you mean "binpack.weight"?)`},
	"an argument with a prefix": {plugins + "  - name: numa-aware\n    arguments: {numa-aware.weight: 1}\n",
		`conf:5: plugin numa-aware has no argument "numa-aware.weight" (did you mean "weight"?)`},
	"an argument of another plugin": {gang + "    arguments:\n      binpack.cpu: 1\n",
		`conf:6: plugin gang has no argument "binpack.cpu"`},
	"an unknown argument": {binpack + "      binpack.cpus: 1\n",
		`conf:6: plugin binpack has no argument "binpack.cpus" (did you mean "binpack.cpu"?)`},
	"a prefix without a name": {binpack + "      binpack.resources.: 1\n",
		`conf:6: plugin binpack has no argument "binpack.resources." (did you mean "binpack.resources"?)`},
	"a number in quotes": {binpack + "      binpack.cpu: \"5\"\n",
		`conf:6: argument "binpack.cpu" of plugin binpack: expected a whole number, got "5"; write it without quotes`},
	"a number too large": {binpack + "      binpack.cpu: 99999999999999999999\n",
		`conf:6: argument "binpack.cpu" of plugin binpack: expected a whole number, got "99999999999999999999"`},
	"a number behind a prefix": {binpack + "      binpack.resources.nvidia.com/gpu: much\n",
		`conf:6: argument "binpack.resources.nvidia.com/gpu" of plugin binpack: expected a whole number, got "much"`},
	"a list that is a number": {binpack + "      binpack.resources: 5\n", `conf:6: argument "binpack.resources" ` +
		`of plugin binpack: expected names between commas such as "a, b", got "5"`},
	"an argument twice": {binpack + "      binpack.cpu: 1\n      binpack.cpu: 2\n",
		`conf:7: key "binpack.cpu" is given twice (first on line 6)`},
	"arguments that are no map": {gang + "    arguments: 5\n",
		`conf:5: the arguments of plugin gang: expected keys with values, got "5"`},
	"a decimal that is text": {plugins + "  - name: overcommit\n    arguments: {overcommit-factor: much}\n",
		`conf:5: argument "overcommit-factor" of plugin overcommit: expected a decimal number with at most three places ` +
			`such as 1.2, got "much"`},
	"a duration without a unit": {plugins + "  - name: sla\n    arguments: {sla-waiting-time: 30}\n",
		`conf:5: argument "sla-waiting-time" of plugin sla: expected a duration such as 30s or 1h30m, got "30"`},
	"text that YAML takes for a bool": {plugins +
		"  - name: deviceshare\n    arguments: {deviceshare.SchedulePolicy: true}\n",
		`conf:5: argument "deviceshare.SchedulePolicy" of plugin deviceshare: expected text, got "true"; put it in quotes`},
	"thresholds that are no map": {plugins + "  - name: usage\n    arguments: {thresholds: 80}\n",
		`conf:5: argument "thresholds" of plugin usage: expected keys with values, got "80"`},
	"drf's tree next to proportion": {plugins + "  - name: drf\n    enableHierarchy: true\n  - name: proportion\n",
		`conf:4: drf with enableHierarchy and proportion are in one tier and both order the queues; put them into two ` +
			`tiers or leave the hierarchy out`},
	"two masters of deserved": {gang + "- plugins:\n  - name: capacity\n  - name: proportion\n",
		`conf:7: proportion and capacity (line 6) both say what a queue deserves, and there can be one master only; keep ` +
			`proportion to share by weight, or capacity to share by spec.deserved`},
	"an unknown configured action": {acts + tiers + "configurations:\n- name: alocate\n",
		`conf:6: configurations: unknown action "alocate" (did you mean "allocate"?)`},
	"an action configured twice": {acts + tiers + "configurations:\n- name: allocate\n- name: allocate\n",
		`conf:7: action allocate is configured twice (first on line 6)`},
	"an unknown key of a configuration": {acts + tiers + "configurations:\n- name: allocate\n  args: {}\n",
		`conf:7: an element of configurations: unknown key "args"`},
	"an unknown argument of an action": {acts + tiers +
		"configurations:\n- name: allocate\n  arguments: {maxDomains: 3}\n",
		`conf:7: action allocate has no argument "maxDomains"`},
	"both spellings of the error cache": {acts + tiers + "configurations:\n- name: allocate\n  arguments:\n" +
		"    predicateErrorCacheEnable: true\n    enablePredicateErrorCache: false\n",
		`conf:9: predicateErrorCacheEnable and enablePredicateErrorCache are two spellings of one key and differ`},
	"an unknown key of metrics": {acts + tiers + "metrics:\n  adress: http://p\n",
		`conf:6: metrics: unknown key "adress" (did you mean "address"?)`},
	"metrics that are no text": {acts + tiers + "metrics:\n  address: [a]\n",
		`conf:6: metrics: "address": expected text, got a list`},
	"an alias": {"actions: &a allocate\nmetrics: {address: *a}\n",
		`conf:2: the alias "*a" is not read here; write the value out`},
	"an unknown anchor": {acts + "tiers: *a\n",
		`conf:2: this is not YAML: unknown anchor 'a' referenced`},
	"two documents": {acts + tiers + "---\n" + acts,
		`conf:6: a second document begins here; a configuration is one document`},
	"two documents, the second of which is empty": {acts + tiers + "---",
		`conf:5: a second document begins here; a configuration is one document`},
	"a list instead of keys": {"- name: gang\n",
		`conf:1: the configuration: expected keys with values, got a list`},
	"a list as a key": {acts + "? [a]\n: 1\n", `conf:2: the configuration: expected a key, got a list`},
	"a tab": {acts + "tiers:\n\t- plugins:\n",
		`conf:3: this is not YAML: found character that cannot start any token`},
	"a plugin indented too far": {gang + "   - name: drf\n",
		`conf:5: this is not YAML: did not find expected key`},
	"bytes that are no text": {acts + "tiers: \xff\n",
		`conf:2: this is not YAML: invalid leading UTF-8 octet`},
	"a name that would break a terminal": {"actions: \"a\\e[31m\"\n" + tiers, `conf:1: unknown action "a\x1b[31m"`},
	"a name without end": {plugins + "  - name: " + strings.Repeat("x", 500) + "\n",
		`conf:4: unknown plugin "` + strings.Repeat("x", 60) + `…": it is neither built in nor compiled in`},
	"a file too long": {acts + strings.Repeat("#", maxSize),
		`conf:1: the configuration is 1048596 bytes long; at most 1048576 are read`},
}

func TestStrictRefusesWithTheLine(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			s, got := read(c.text, Strict)
			if s != nil {
				t.Error("a configuration was returned")
			}
			var fatal []string
			for line := range strings.Lines(got) {
				if !strings.Contains(line, ": warning: ") {
					fatal = append(fatal, strings.TrimSpace(line))
				}
			}
			if all := strings.Join(fatal, "\n"); all != strings.TrimSpace(c.want) {
				t.Errorf("got\n%s\nwant\n%s", all, c.want)
			}
		})
	}
}

func TestAllErrorsAreReportedInTheOrderOfTheFile(t *testing.T) {
	_, got := read("actions: \"enqueu\"\ntiers:\n- plugins:\n  - name: gagn\n  - name: binpack\n    enableX: true\n"+
		"    arguments:\n      binpack.cpu: a\nmetric: {}\n", Strict)
	want := `conf:1: unknown action "enqueu" (did you mean "enqueue"?)
conf:4: unknown plugin "gagn" (did you mean "gang"?)
conf:6: a plugin: unknown key "enableX"
conf:8: argument "binpack.cpu" of plugin binpack: expected a whole number, got "a"
conf:9: unknown key "metric" (did you mean "metrics"?)`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAReportEndsAfterAHundredProblems(t *testing.T) {
	_, got := read(acts+"tiers:\n- plugins:\n"+strings.Repeat("  - name: x\n", 500), Strict)
	lines := strings.Split(got, "\n")
	if len(lines) != 101 || lines[100] != "conf:104: and 400 more problems from here on" {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
}

func TestLinesAreThoseOfTheDocumentAround(t *testing.T) {
	for name, c := range map[string]refusal{
		"an error of meaning": {gang + "    enableJobOrdr: true\n",
			`cm.yaml:12: a plugin: unknown key "enableJobOrdr" (did you mean "enableJobOrder"?)`},
		"an error of syntax": {gang + "   - name: drf\n", `cm.yaml:12: this is not YAML: did not find expected key`},
		"a reference back":   {gang + "  - name: gang\n", `cm.yaml:12: plugin gang is twice in one tier (first on line 11)`},
		"nothing": {
			"", `cm.yaml:8: the configuration is empty; write for example actions: "enqueue, allocate, backfill"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Parse(Source{File: "cm.yaml", LineOffset: 7}, []byte(c.text), Volcano(), Strict)
			if len(problems) != 1 || problems[0].String() != c.want {
				t.Errorf("got %v\nwant %s", problems, c.want)
			}
		})
	}
}

func TestHostileFilesAreAnsweredAtOnce(t *testing.T) {
	for name, c := range map[string]refusal{
		"brackets without end": {strings.Repeat("[", maxSize), "conf:1: this is not YAML: exceeded max depth of 10000"},
		"deep but well-formed": {strings.Repeat("[", 9990) + strings.Repeat("]", 9990),
			"conf:1: the configuration: expected keys with values, got a list"},
		"an error after a mile": {strings.Repeat("a: 1\n", 100000) + "- x\n",
			"conf:100000: this is not YAML: did not find expected key"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := read(c.text, Lenient)
			if first, _, _ := strings.Cut(got, "\n"); s != nil || first != c.want {
				t.Errorf("got %s\nwant %s", first, c.want)
			}
		})
	}
}
