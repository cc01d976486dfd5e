// Command vulnerabilities fails where a built program has code with a known vulnerability, as govulncheck finds it:
//
//	go run ./deploy/vulnerabilities [-db URL] [-go] PROGRAM
//
// The list of vulnerabilities is a module of a fixed version, so that equal sources have equal answers; -db takes
// another list, such as https://vuln.go.dev, which has what was found since. What a newer Go mends is told, and fails
// with -go only: with which Go a program is built is chosen where that is done.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	semver "k8s.io/apimachinery/pkg/util/version"
)

// database is the list of vulnerabilities of the Go project, as of 2026-11-05: its folder data/osv has a file for each.
const database = "golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018"

// excepted are vulnerabilities that do not concern this program, and why.
var excepted = map[string]string{
	"GO-2025-3521": "of gitRepo volumes, which a kubelet mounts; the list names no function, so all of Kubernetes counts",
	"GO-2025-3547": "of kube-apiserver; the list names no function, so all of Kubernetes counts",
}

func main() {
	db := flag.String("db", "", "address of the list of vulnerabilities; without it "+database)
	withGo := flag.Bool("go", false, "fail over what a newer Go mends, too")
	flag.Parse()
	if err := run(flag.Args(), *db, *withGo, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, db string, withGo bool, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("give one program that Go built")
	}
	if db == "" {
		module, err := download()
		if err != nil {
			fmt.Fprintf(out, "skipped: the list of vulnerabilities is not to be had: %v\n", err)
			return nil
		}
		db = "file://" + filepath.ToSlash(filepath.Join(module, "data", "osv"))
	}
	check := exec.Command("go", "tool", "-modfile=tools/go.mod", "govulncheck",
		"-mode", "binary", "-format", "json", "-db", db, args[0])
	check.Stderr = os.Stderr
	said, err := check.Output()
	if err != nil {
		return fmt.Errorf("govulncheck: %w", err)
	}
	found, err := read(said)
	if err != nil {
		return err
	}
	return judge(found, withGo, out)
}

// download is the folder of the list, which the Go command keeps in its cache and checks against the public sums.
func download() (string, error) {
	var module struct{ Dir, Error string }
	said, err := exec.Command("go", "mod", "download", "-json", database).Output()
	if unread := json.Unmarshal(said, &module); unread != nil {
		return "", errors.Join(err, unread)
	}
	if module.Error != "" {
		return "", errors.New(module.Error)
	}
	return module.Dir, err
}

// vulnerability is one that code of a program has.
type vulnerability struct {
	id, summary   string
	module        string // "stdlib" is Go's own
	version       string // that the program has
	mended        string // the version that does not have it; "": none
	function, pkg string // one of those that have it
}

// read takes what concerns functions out of what govulncheck said: one for each vulnerability of a module, by name.
func read(said []byte) ([]vulnerability, error) {
	found, summaries := map[[2]string]vulnerability{}, map[string]string{}
	for stream := json.NewDecoder(bytes.NewReader(said)); ; {
		var message struct {
			OSV     *struct{ ID, Summary string }
			Finding *struct {
				OSV   string
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Package, Function string }
			}
		}
		switch err := stream.Decode(&message); {
		case errors.Is(err, io.EOF):
			all := slices.Collect(maps.Values(found))
			for i := range all {
				all[i].summary = summaries[all[i].id]
			}
			slices.SortFunc(all, func(a, b vulnerability) int {
				return strings.Compare(a.id+a.module, b.id+b.module)
			})
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("govulncheck's answer: %w", err)
		case message.OSV != nil:
			summaries[message.OSV.ID] = message.OSV.Summary
		case message.Finding != nil && len(message.Finding.Trace) > 0 && message.Finding.Trace[0].Function != "":
			f, at := message.Finding, message.Finding.Trace[0]
			if key := [2]string{f.OSV, at.Module}; found[key].id == "" {
				found[key] = vulnerability{id: f.OSV, module: at.Module, version: at.Version, mended: f.Fixed,
					function: at.Function, pkg: at.Package}
			}
		}
	}
}

// judge tells what was found, and returns an error that names what has to be mended: what neither an exception nor,
// unless withGo, a newer Go explains, and exceptions for what is not there.
func judge(found []vulnerability, withGo bool, out io.Writer) error {
	var wrong, golang []string
	newest, seen := "", map[string]bool{}
	for _, v := range found {
		why, isExcepted := excepted[v.id]
		seen[v.id] = true
		switch {
		case isExcepted:
			fmt.Fprintf(out, "%s does not concern this program: %s\n", v.id, why)
		case v.module == "stdlib" && v.mended != "" && !withGo:
			golang = append(golang, v.id)
			if newest == "" || semver.MustParseGeneric(v.mended).AtLeast(semver.MustParseGeneric(newest)) {
				newest = v.mended
			}
		default:
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s.%s of %s %s has it; %s",
				v.id, v.summary, v.pkg, v.function, v.module, v.version, mendedBy(v)))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(excepted)) {
		if !seen[id] {
			wrong = append(wrong, id+": the program does not have it any more: take its exception out")
		}
	}
	if len(golang) > 0 {
		fmt.Fprintf(out, "built with a Go that has %d known vulnerabilities (%s); release what Go %s or newer builds\n",
			len(golang), strings.Join(golang, ", "), strings.TrimPrefix(newest, "v"))
	}
	if len(wrong) > 0 {
		return errors.New("known vulnerabilities:\n  " + strings.Join(wrong, "\n  "))
	}
	return nil
}

func mendedBy(v vulnerability) string {
	if v.mended == "" {
		return "no version is known to mend it"
	}
	return v.mended + " mends it"
}
