package cloud

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// classText is "25 targets, 5 listeners".
func classText(class simcloud.LoadBalancerClass) string {
	count := func(n int, what string) string {
		if n == 0 {
			return "any number of " + what
		}
		return strconv.Itoa(n) + " " + what
	}
	return count(class.MaxTargets, "targets") + ", " + count(class.MaxListeners, "listeners")
}

func parseClasses(texts []string) ([]simcloud.LoadBalancerClass, error) {
	classes := []simcloud.LoadBalancerClass{}
	for _, text := range texts {
		if text == "none" {
			continue
		}
		name, numbers, _ := strings.Cut(text, "=")
		targets, listeners, _ := strings.Cut(numbers, ",")
		class := simcloud.LoadBalancerClass{Name: name}
		var errTargets, errListeners error
		class.MaxTargets, errTargets = strconv.Atoi(targets)
		class.MaxListeners, errListeners = strconv.Atoi(listeners)
		if errTargets != nil || errListeners != nil {
			return nil, fmt.Errorf("--lb-class %q is not NAME=TARGETS,LISTENERS, such as lb11=25,5", text)
		}
		classes = append(classes, class)
	}
	return classes, nil
}
