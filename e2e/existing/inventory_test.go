package existing_test

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// each calls add with the objects of a list.
func each(list runtime.Object, err error) func(kind string, add func(string, map[string]string, metav1.Object)) error {
	return func(kind string, add func(string, map[string]string, metav1.Object)) error {
		if err != nil {
			return err
		}
		return meta.EachListItem(list, func(o runtime.Object) error {
			object, err := meta.Accessor(o)
			if err == nil {
				add(kind, object.GetLabels(), object)
			}
			return err
		})
	}
}
