/** Why an endpoint could not be asked, in a sentence fit for the company that owns it. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
}
