package server

import (
	"reflect"

	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// The parameters of queries, as listOptions, journalFilter and the like read them.

func listParameters() []openapi.Parameter {
	return []openapi.Parameter{
		textParameter("name", "the exact name"),
		textParameter("selector", "a label selector in Kubernetes' syntax"),
		textParameter("state", "the exact state"),
		textParameter("refersTo", "a resource to which all refer, as kind/id: what is in network/net-1, what leads to instance/i-7"),
		numberParameter("pageSize", "how many items a page has: up to 1000, by default 100"),
		textParameter("pageToken", "the nextPage of the page before; valid with the same name, selector, state and refersTo alone"),
		numberParameter("page", "the number of a page, from 1, in place of pageToken: the answer has the total"),
	}
}

func diffParameters() []openapi.Parameter {
	return []openapi.Parameter{textParameter("against", "the snapshot to compare with; by default, the cloud as it is now")}
}

func eventParameters() []openapi.Parameter {
	return []openapi.Parameter{numberParameter("after", "the revision of the last event that is known")}
}

func listJournalParameters() []openapi.Parameter {
	return append(journalParameters(), flagParameter("settled",
		"wait until each call is there that may have changed the cloud by now, but for those whose answer a fault rule holds back"))
}

func journalParameters() []openapi.Parameter {
	return []openapi.Parameter{
		numberParameter("after", "the number of the last entry that is known"),
		textParameter("operation", "a glob of operations, such as Create*"),
		textParameter("resource", "a glob of resources, such as instance/*"),
		textParameter("userAgent", "a glob of user agents"),
		textParameter("project", "the project of the caller"),
		textParameter("code", "the code that the call ended with"),
		textParameter("fault", "the id of the fault rule that changed the call; * for any"),
		flagParameter("errors", "those that have failed alone"),
		flagParameter("writes", "those that change the cloud alone"),
		flagParameter("bodies", "with what each call sent and got"),
	}
}

func textParameter(name, description string) openapi.Parameter {
	return openapi.Parameter{Name: name, Type: reflect.TypeFor[string](), Description: description}
}

func numberParameter(name, description string) openapi.Parameter {
	return openapi.Parameter{Name: name, Type: reflect.TypeFor[uint64](), Description: description}
}

func flagParameter(name, description string) openapi.Parameter {
	return openapi.Parameter{Name: name, Type: reflect.TypeFor[bool](), Description: description}
}
