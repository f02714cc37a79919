package syntax

import (
	"maps"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
)

// kind is how values of a type are read, and how the schema describes them, wherever they stand.
type kind struct {
	schema func(field) map[string]any
	read   func(d *Decoder, n *yaml.Node, what string, f field, into any)
}

// kinds are the types that need no reader of their own. Lists, pointers and structs of them are read too.
var kinds = map[reflect.Type]kind{
	reflect.TypeFor[string](): kindOf(wordSchema, func(d *Decoder, n *yaml.Node, what string, f field, into *string) {
		d.Word(what, into, f.words()...)(n)
	}),
	reflect.TypeFor[bool](): kindOf(always(map[string]any{"type": "boolean"}), func(d *Decoder, n *yaml.Node, what string, _ field, into *bool) {
		d.Boolean(what, into)(n)
	}),
	reflect.TypeFor[int]():           kindOf(numberSchema, (*Decoder).number),
	reflect.TypeFor[float64]():       kindOf(always(map[string]any{"type": "number", "exclusiveMinimum": 0}), (*Decoder).factor),
	reflect.TypeFor[time.Duration](): kindOf(always(DurationSchema), (*Decoder).duration),
	reflect.TypeFor[expr.Template](): kindOf(always(StringSchema), func(d *Decoder, n *yaml.Node, what string, _ field, into *expr.Template) {
		d.TemplateText(n, what, into)
	}),
	reflect.TypeFor[map[string]string](): kindOf(always(LabelsSchema), func(d *Decoder, n *yaml.Node, what string, _ field, into *map[string]string) {
		*into = d.Labels(n, what)
	}),
	reflect.TypeFor[*yaml.Node](): kindOf(always(map[string]any{}), func(_ *Decoder, n *yaml.Node, _ string, _ field, into **yaml.Node) {
		*into = Resolve(n)
	}),
	reflect.TypeFor[map[string]expr.Template](): kindOf(always(LabelsSchema), func(d *Decoder, n *yaml.Node, what string, _ field, into *map[string]expr.Template) {
		d.LabelTemplates(n, what, into)
	}),
	reflect.TypeFor[expr.Tree](): kindOf(always(map[string]any{"type": []string{"object", "array"}}), func(d *Decoder, n *yaml.Node, _ string, _ field, into *expr.Tree) {
		*into = d.Tree(n)
	}),
	reflect.TypeFor[*expr.Expr](): kindOf(always(CELSchema), func(d *Decoder, n *yaml.Node, what string, _ field, into **expr.Expr) {
		*into = d.TruthExpression(n, what)
	}),
}

func kindOf[T any](schema func(field) map[string]any, read func(*Decoder, *yaml.Node, string, field, *T)) kind {
	return kind{schema, func(d *Decoder, n *yaml.Node, what string, f field, into any) { read(d, n, what, f, into.(*T)) }}
}

func always(schema map[string]any) func(field) map[string]any {
	return func(field) map[string]any { return schema }
}

func wordSchema(f field) map[string]any {
	if words := f.words(); words != nil {
		return EnumSchema(words...)
	}
	s := maps.Clone(StringSchema)
	if least, _ := f.bounds(); least > 0 {
		s["minLength"] = least
	}
	if pattern := f.Tag.Get("pattern"); pattern != "" {
		s["pattern"] = pattern
	}
	return s
}

// bounds are the least and the largest number that a field can be; most is 0 without a bound.
func (f field) bounds() (least, most int) {
	least, _ = strconv.Atoi(f.Tag.Get("min")) // 0 without the tag
	most, _ = strconv.Atoi(f.Tag.Get("max"))
	return least, most
}

func numberSchema(f field) map[string]any {
	least, most := f.bounds()
	s := map[string]any{"type": "integer", "minimum": least}
	if most > 0 {
		s["maximum"] = most
	}
	return s
}

// number reads a whole number within its bounds.
func (d *Decoder) number(n *yaml.Node, what string, f field, into *int) {
	before := d.mistakes
	if d.Number(what, into)(n); d.mistakes > before {
		return
	}
	switch least, most := f.bounds(); {
	case most > 0 && (*into < least || *into > most):
		d.Errorf(n, "%s is %d: want %d to %d", what, *into, least, most)
	case *into < least:
		d.Errorf(n, "%s is %d: want a whole number from %d", what, *into, least)
	}
}

func (d *Decoder) factor(n *yaml.Node, what string, _ field, into *float64) {
	v, err := strconv.ParseFloat(Resolve(n).Value, 64)
	if err != nil {
		d.Errorf(n, "%s is %s: want a number above 0", what, Describe(Resolve(n)))
		return
	}
	*into = v
}

func (d *Decoder) duration(n *yaml.Node, what string, f field, into *time.Duration) {
	least, _ := time.ParseDuration(f.Tag.Get("min")) // 0 without the tag
	if d.Duration(what, into)(n); *into < least {
		d.Errorf(n, "%s is %s: want %s or more", what, *into, least)
	}
}
