package sdktest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// modules are AWS' clients, by what they call their service.
var modules = map[string]string{
	"EC2": "ec2", "Elastic Load Balancing": "elasticloadbalancing", "Elastic Load Balancing v2": "elasticloadbalancingv2", "STS": "sts",
}

// compared is where a client compares the name of an element. It does not mind whether letters are capital, as clients for
// other languages do.
var compared = regexp.MustCompile(`(?:EqualFold|GetElement)\("(\w+)"`)

// names are those that AWS' models have for the elements of answers, by service.
var names = sync.OnceValues(func() (map[string]map[string]bool, error) {
	all := map[string]map[string]bool{}
	for id, module := range modules {
		folder, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/aws/aws-sdk-go-v2/service/"+module).Output()
		if err != nil {
			return nil, fmt.Errorf("find the client of %s: %w", id, err)
		}
		source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "deserializers.go"))
		if err != nil {
			return nil, fmt.Errorf("read the client of %s: %w", id, err)
		}
		all[id] = map[string]bool{}
		for _, match := range compared.FindAllSubmatch(source, -1) {
			all[id][string(match[1])] = true
		}
	}
	return all, nil
})

// enveloping are the elements around an answer, which clients do not compare.
var enveloping = []string{
	"requestId", "RequestId", "RequestID", "ResponseMetadata", "return", // metadata, and what an output without fields has
	"Errors", "Error", "Type", "Code", "Message", // of an error
}

// misspelt tells which elements of an answer no structure of the service has in these letters.
func misspelt(id string, body []byte) []string {
	root, err := parse(body)
	if err != nil {
		return nil
	}
	known, err := names()
	if err != nil {
		return []string{err.Error()}
	}
	unknown := map[string]bool{}
	var visit func(element)
	visit = func(e element) {
		for _, child := range e.Children {
			if name := child.XMLName.Local; !known[id][name] && !slices.Contains(enveloping, name) && !strings.HasSuffix(name, "Result") {
				unknown[name] = true
			}
			visit(child)
		}
	}
	visit(root)
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		problems = append(problems, "no answer of "+id+" has an element "+name)
	}
	return problems
}
