package expr

import (
	"fmt"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// Plain turns a CEL value into maps, slices and scalars as JSON has them.
func Plain(v ref.Val) any {
	switch value := v.(type) {
	case traits.Mapper:
		return plainMap(value)
	case traits.Lister:
		return plainList(value)
	case *types.Optional:
		if !value.HasValue() {
			return nil
		}
		return Plain(value.GetValue())
	case types.Null:
		return nil
	}
	switch value := v.Value().(type) {
	case time.Duration:
		return value.String()
	case time.Time:
		return value.Format(time.RFC3339Nano)
	default:
		return value
	}
}

func plainMap(value traits.Mapper) any {
	if m, ok := value.Value().(map[string]any); ok {
		return m
	}
	m := map[string]any{}
	for it := value.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		m[fmt.Sprint(key.Value())] = Plain(value.Get(key))
	}
	return m
}

func plainList(value traits.Lister) any {
	if items, ok := value.Value().([]any); ok {
		return items
	}
	items := []any{}
	for it := value.Iterator(); it.HasNext() == types.True; {
		items = append(items, Plain(it.Next()))
	}
	return items
}

// render writes a value as JSON, shortened to what a message can hold.
func render(v ref.Val) string { return observe.RenderAny(Plain(v)) }
