package words

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// Suggest returns the name that was probably meant, as the end of a message; "" when none is close.
func Suggest(key string, names []string) string {
	closest := spelling.Nearest(key, names)
	if closest == "" {
		return ""
	}
	return fmt.Sprintf(" (%q?)", closest)
}
