// Verify checks tlog-proofs and consistency proofs with the Go team's own
// packages, sumdb/note and sumdb/tlog. It reads one JSON object on standard
// input and exits 0 when everything in it holds, 1 when something does not.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type input struct {
	VKey   string   // the log's verifier key
	Leaf   []byte   // the record whose inclusion is claimed
	Proof  string   // a C2SP tlog-proof
	Older  string   // a signed checkpoint of the same log, or empty
	Hashes [][]byte // the consistency proof from Older to the proof's checkpoint
}

type head struct {
	size int64
	root tlog.Hash
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail(err)
	}
	if err := check(in); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func check(in input) error {
	verifier, err := note.NewVerifier(in.VKey)
	if err != nil {
		return err
	}
	header, checkpoint, found := strings.Cut(in.Proof, "\n\n")
	if !found {
		return errors.New("no empty line")
	}
	newer, err := open(checkpoint, verifier)
	if err != nil {
		return err
	}
	index, path, err := parse(header)
	if err != nil {
		return err
	}
	leaf := tlog.RecordHash(in.Leaf)
	if err := tlog.CheckRecord(path, newer.size, newer.root, index, leaf); err != nil {
		return err
	}
	if in.Older == "" {
		return nil
	}
	older, err := open(in.Older, verifier)
	if err != nil {
		return err
	}
	tree := tlog.TreeProof(hashes(in.Hashes))
	return tlog.CheckTree(tree, newer.size, newer.root, older.size, older.root)
}

// open returns the head in a checkpoint that the verifier's key signed.
func open(checkpoint string, verifier note.Verifier) (head, error) {
	n, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	if err != nil {
		return head{}, err
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return head{}, errors.New("not a checkpoint of this log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return head{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return head{size, root}, err
}

func parse(header string) (index int64, path tlog.RecordProof, err error) {
	lines := strings.Split(header, "\n")[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return 0, nil, errors.New("no index")
	}
	index, err = strconv.ParseInt(strings.TrimPrefix(lines[0], "index "), 10, 64)
	if err != nil {
		return 0, nil, err
	}
	var raw [][]byte
	for _, line := range lines[1:] {
		data, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return 0, nil, err
		}
		raw = append(raw, data)
	}
	return index, tlog.RecordProof(hashes(raw)), nil
}

func hashes(raw [][]byte) []tlog.Hash {
	found := make([]tlog.Hash, len(raw))
	for i, data := range raw {
		copy(found[i][:], data)
	}
	return found
}
