/**
 * Yields rows page by page. Each page is its own query that starts after the last id: a slow reader, or one that never
 * continues, occupies no connection and no snapshot meanwhile. The first page that is not full is the last one.
 *
 * @param read returns up to `size` rows that follow `after`
 */
export async function* readPages<Row extends { id: string }>(
  size: number,
  read: (after: string | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let after: string | undefined;
  while (true) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    after = rows.at(-1)!.id;
  }
}
