/** A control call that cannot be carried out; answered `{error: message}`, not in the platform's shape. */
export class ControlError extends Error {
  override readonly name = "ControlError";

  constructor(readonly status: 400 | 404 | 409 | 415, message: string) {
    super(message);
  }
}
