// Renders a chart as Helm does, as far as charts here go: values, release, chart, and the functions that its templates use. No
// more than Go's own text/template is needed for that, so no module is fetched.
//
// usage: render CHART-FOLDER CONTEXT.json, which has Values, Release and Chart. Prints the documents, each after "---".
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

// JSON is YAML.
func toYaml(value any) (string, error) {
	made, err := json.Marshal(value)
	return string(made), err
}

func nindent(width int, text string) string {
	space := strings.Repeat(" ", width)
	return "\n" + space + strings.ReplaceAll(text, "\n", "\n"+space)
}

func join(separator string, list []any) string {
	var texts []string
	for _, one := range list {
		texts = append(texts, fmt.Sprint(one))
	}
	return strings.Join(texts, separator)
}

func otherwise(fallback, given any) any {
	if truth, _ := template.IsTrue(given); truth {
		return given
	}
	return fallback
}

func main() {
	var context map[string]any
	text, err := os.ReadFile(os.Args[2])
	check(err)
	check(json.Unmarshal(text, &context))
	functions := template.FuncMap{"toYaml": toYaml, "nindent": nindent, "join": join, "default": otherwise}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "templates", "*.yaml"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		parsed, err := template.New(filepath.Base(file)).Option("missingkey=zero").Funcs(functions).Parse(string(text))
		check(err)
		var out bytes.Buffer
		check(parsed.Execute(&out, context))
		fmt.Printf("---\n%s\n", out.String())
	}
}
