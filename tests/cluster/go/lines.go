package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
)

const maxLine = 64 << 20

// answerLines reads JSON Lines from standard input and writes one answer for each, in order.
func answerLines[Question, Answer any](reply func(Question) (Answer, error)) error {
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	return eachLine(os.Stdin, func(line []byte) error {
		var asked Question
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		answered, err := reply(asked)
		if err != nil {
			return err
		}
		return encoder.Encode(answered)
	})
}

func eachLine(in io.Reader, do func([]byte) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	for number := 1; scanner.Scan(); number++ {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		if err := do(scanner.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return scanner.Err()
}

// setGates switches on the fields of a struct of features that "DRAName=true,…" names; the names of the fields are
// those of the gates, after a prefix, and a minor has only those of its own gates.
func setGates(features any, prefix, text string) error {
	fields := reflect.ValueOf(features).Elem()
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(item, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("feature gate %q: %w", item, err)
		}
		field := fields.FieldByName(prefix + strings.TrimPrefix(name, "DRA"))
		if !field.IsValid() {
			return fmt.Errorf("feature gate %q changes nothing here in this version", name)
		}
		field.SetBool(on)
	}
	return nil
}
