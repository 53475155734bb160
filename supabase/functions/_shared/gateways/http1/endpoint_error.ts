/** The reason why an endpoint did not respond, in a sentence fit for the company that owns it. */
export class EndpointError extends Error {
  override readonly name: string = "EndpointError";
}

/** The time for several steps together is over. */
export class TimeUpError extends EndpointError {}

/** The step at which a connection failed. */
export type ConnectStep = "name" | "connection" | "tls" | "stopped";

/** There was no connection for a request: nothing of it has left this machine. */
export class ConnectError extends EndpointError {
  readonly step: ConnectStep;

  constructor(step: ConnectStep, message: string, options?: ErrorOptions) {
    super(message, options);
    this.step = step;
  }
}
