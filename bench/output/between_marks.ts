/** Returns a page with `text` between its two marks, in place of what stood there. Throws where it lacks the marks. */
export function putBetween(
  page: string,
  { begin, end }: { begin: string; end: string },
  text: string,
): string {
  const [before, after] = [page.split(begin)[0], page.split(end)[1]];
  if (before === undefined || after === undefined || before === page) {
    throw new Error("The page lacks the marks between which the results go");
  }
  return `${before}${begin}${text}${end}${after}`;
}
