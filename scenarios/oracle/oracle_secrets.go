package oracle

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// secretOracle is "no-secrets": no secret that the CCM was given is in its log,
// neither as it is nor in base64.
type secretOracle struct {
	observe.NopObserver
	logs    map[string]int64 // where the logs had ended when the scenario began, by their paths
	secrets func() []control.Secret
}

func newSecretOracle(logs []string, secrets func() []control.Secret) *secretOracle {
	o := &secretOracle{logs: map[string]int64{}, secrets: secrets}
	for _, path := range logs {
		o.logs[path] = observe.SizeOf(path)
	}
	return o
}

func (o *secretOracle) Begin(*observe.Snapshot) {}

func (o *secretOracle) verdict(Run, *observe.Snapshot) []scenarios.Failure {
	if o.secrets == nil {
		return nil
	}
	var told []string
	for path, begin := range o.logs {
		log, err := observe.ReadFrom(path, begin)
		if err != nil {
			continue // no log, no secret in it
		}
		for _, s := range o.secrets() {
			told = append(told, secret(s).lines(log)...)
		}
	}
	if len(told) == 0 {
		return nil
	}
	return []scenarios.Failure{{
		Oracle:   "no-secrets",
		Headline: "a secret that the CCM was given is in its log, " + words.Times(len(told)),
		Because:  "A CCM must write no secret into its log: logs are read by people who must not have its rights.",
		Values:   words.LastOf(told, observe.MostErrors),
	}}
}

// secret is one that the CCM was given, to look for.
type secret control.Secret

// enough is how many characters of a long secret are as good as all of it.
const enough = 32

// shortest is how many characters a secret has at least.
const shortest = 8

// needles are the texts that give a secret away. Of a token in three parts it is the last, the signature.
func (s secret) needles() []string {
	if len(s.Value) < shortest {
		return nil // no secret, and everywhere
	}
	part := s.Value[strings.LastIndexByte(s.Value, '.')+1:]
	if len(part) < shortest {
		part = s.Value
	}
	part = part[:min(enough, len(part))]
	return []string{part, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s.Value)), "=")}
}

// lines are the lines of a log that have the secret, without it.
func (s secret) lines(log []byte) []string {
	var found []string
	for _, needle := range s.needles() {
		if !bytes.Contains(log, []byte(needle)) {
			continue
		}
		for line := range strings.Lines(string(log)) {
			before, _, has := strings.Cut(line, needle)
			if has {
				found = append(found, fmt.Sprintf("%s<%s>…", s.shortened(before), s.What))
			}
		}
	}
	return found
}

// shortened is the text before a secret, without the secret's own beginning.
func (s secret) shortened(before string) string {
	const most = 120
	before = strings.TrimSpace(before)
	if i := strings.LastIndexByte(before, ' '); i >= 0 && strings.HasPrefix(s.Value, before[i+1:]) {
		before = before[:i+1]
	}
	if at := strings.Index(before, s.Value[:shortest]); at >= 0 {
		before = before[:at]
	}
	if len(before) > most {
		return "…" + strings.ToValidUTF8(before[len(before)-most:], "")
	}
	return before
}
