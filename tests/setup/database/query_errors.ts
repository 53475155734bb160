/** Returns the code of a query's error, or `no error`. */
export function codeOf(query: PromiseLike<unknown>): Promise<string> {
  return Promise.resolve(query).then(() => "no error", (error: { code: string }) => error.code);
}
