package models_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/codebase/models"
)

func TestBuiltinManifest(t *testing.T) {
	kinds := map[models.Kind]int{}
	platforms := map[string]bool{}
	for _, e := range models.Manifest() {
		kinds[e.Kind]++
		platforms[e.Platform] = true
		if e.Licence == "" || len(e.Sources) == 0 {
			t.Errorf("%s: licence %q, %d sources", e.Name, e.Licence, len(e.Sources))
		}
		for _, f := range e.Files {
			has := false
			for _, s := range e.Sources {
				has = has || s.Members[f.Path] != ""
			}
			if !has {
				t.Errorf("%s: no source has %s", e.Name, f.Path)
			}
		}
	}
	if kinds[models.Embedder] < 2 || kinds[models.Reranker] < 1 || !platforms["linux/amd64"] || !platforms["linux/arm64"] || !platforms["darwin/arm64"] {
		t.Errorf("%v %v", kinds, platforms)
	}
}

const goodManifest = `{"schema":1,"entries":[{"name":"a","kind":"embedder","revision":"r1","licence":"MIT","dims":4,"max_tokens":8,
"files":[{"path":"f","size":1,"sha256":"` + "0000000000000000000000000000000000000000000000000000000000000000" + `"}],
"sources":[{"kind":"hub","repository":"x/y","revision":"r1","members":{"f":"d/f"}}]}]}`

func TestParseManifest(t *testing.T) {
	if _, err := models.ParseManifest([]byte(goodManifest)); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		"schema":            {`"schema":1`, `"schema":2`},
		"unknown field":     {`"kind":"embedder"`, `"kind":"embedder","pickle":true`},
		"unknown in a file": {`"path":"f"`, `"path":"f","run":"x"`},
		"unknown kind":      {`"kind":"embedder"`, `"kind":"oracle"`},
		"unknown source":    {`"kind":"hub"`, `"kind":"ftp"`},
		"name":              {`"name":"a"`, `"name":"../a"`},
		"revision":          {`"revision":"r1","licence"`, `"revision":"../r","licence"`},
		"path up":           {`"path":"f"`, `"path":"../f"`},
		"path hidden":       {`"path":"f"`, `"path":".f"`},
		"path is record":    {`"path":"f"`, `"path":"installed.json"`},
		"negative size":     {`"size":1`, `"size":-1`},
		"no size":           {`"size":1,`, ``},
		"short hash":        {`"sha256":"00`, `"sha256":"`},
		"hash and none":     {`"size":1`, `"sha256_unknown":true,"size":1`},
		"member up":         {`"d/f"`, `"../f"`},
		"member absolute":   {`"d/f"`, `"/etc/f"`},
		"member query":      {`"d/f"`, `"f?x"`},
		"member of nothing": {`{"f":"d/f"}`, `{"g":"d/f"}`},
		"repository":        {`"x/y"`, `"x/y/../../z"`},
		"hub with project":  {`"repository"`, `"project":"p","repository"`},
		"no tokens":         {`"max_tokens":8`, `"max_tokens":0`},
		"twice":             {`"entries":[`, `"entries":[` + goodManifest[len(`{"schema":1,"entries":[`):len(goodManifest)-2] + ","},
		"something behind":  {`]}]}`, `]}]} {}`},
		"no JSON":           {`{"schema"`, `schema`},
		"no files":          {`"files":[{"path":"f","size":1,"sha256":"` + strings.Repeat("0", 64) + `"}]`, `"files":[]`},
	} {
		text := strings.Replace(goodManifest, edit[0], edit[1], 1)
		if text == goodManifest {
			t.Fatalf("%s: the edit does nothing", name)
		}
		if _, err := models.ParseManifest([]byte(text)); !errors.Is(err, models.ErrManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHubAddress(t *testing.T) {
	at := func(v string) string { return models.HubAddress(func(string) string { return v }) }
	if at("https://mirror.example/") != "https://mirror.example" || !strings.HasPrefix(at(""), "https://") {
		t.Errorf("%q %q", at("https://mirror.example/"), at(""))
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(goodManifest))
	whole, err := json.Marshal(struct {
		Schema  int            `json:"schema"`
		Entries []models.Entry `json:"entries"`
	}{1, models.Manifest()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := models.ParseManifest(data)
		if err != nil && !errors.Is(err, models.ErrManifest) {
			t.Error(err)
		}
		for _, e := range entries {
			for _, file := range e.Files {
				if strings.ContainsAny(file.Path, `/\`) || strings.HasPrefix(file.Path, ".") {
					t.Errorf("a path leads elsewhere: %q", file.Path)
				}
			}
		}
	})
}
