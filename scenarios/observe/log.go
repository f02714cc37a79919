package observe

import (
	"errors"
	"io"
	"os"
)

// ReadFrom reads a file from an offset to its end.
func ReadFrom(path string, offset int64) (content []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

// SizeOf is how long a file is, in bytes; 0 when there is none.
func SizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
