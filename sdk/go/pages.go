package outbound

import "iter"

// readPages reads a list page by page and yields its entries; the next page is read when it is needed.
func readPages[T any](after string, read func(after string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for next := after; ; {
			entries, following, err := read(next)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entry := range entries {
				if !yield(entry, nil) {
					return
				}
			}
			if following == "" {
				return
			}
			next = following
		}
	}
}
