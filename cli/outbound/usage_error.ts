/** A command line that does not fit: the program prints the message and ends with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
