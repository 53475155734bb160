/** The reason why an endpoint did not respond, in a sentence fit for the company that owns it. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
}

/** The time for several steps together is over. */
export class TimeUpError extends EndpointError {}
