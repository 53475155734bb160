import type { Routes } from "../generated/routes.gen.ts";
import type { OutboundError } from "../outbound_error.ts";
import type { OutboundOptions } from "../outbound_options.ts";
import { FakeCampaigns } from "./fake_campaigns.ts";
import { notScripted, type RefusalCode, type RefusalFields, refusalOf } from "./fake_refusal.ts";
import { type FakeRequest, readRequest } from "./fake_request.ts";

/** Returns the body of a response. */
export type Responder<Route extends keyof Routes> = (
  request: FakeRequest<Route>,
) => Routes[Route]["response"] | Promise<Routes[Route]["response"]>;

/**
 * A service in memory. It accepts notifications and calls, and every campaign is completed at once; all other routes respond
 * as the test says.
 *
 * ```ts
 * const service = new FakeService();
 * const outbound = new Outbound(service.options);
 * ```
 */
export class FakeService {
  /** Options for `new Outbound()`. A refusal reaches the program at once, because nothing is retried. */
  readonly options: OutboundOptions = {
    baseUrl: "http://outbound.invalid",
    accessKey: "outbound_fake",
    retries: 0,
    fetch: (request) => this.#respond(request),
  };
  /** The requests that came, oldest first. */
  readonly requests: FakeRequest[] = [];
  readonly #responders = new Map<keyof Routes, Responder<keyof Routes>>();
  readonly #refusals = new Map<keyof Routes, OutboundError[]>();

  constructor() {
    const campaigns = new FakeCampaigns();
    this.on("POST /notify", (request) => campaigns.accept(request, "whatsapp"));
    this.on("POST /notify/voice", (request) => campaigns.accept(request, "voice"));
    this.on("GET /notify/status", ({ query }) => campaigns.read(query.campaign_id!));
  }

  /** Responds to a route in this way from now on. */
  on<Route extends keyof Routes>(route: Route, responder: Responder<Route>): this {
    this.#responders.set(route, responder as unknown as Responder<keyof Routes>);
    return this;
  }

  /** Refuses the next request to a route; called again, the one after it too. */
  refuse(route: keyof Routes, code: RefusalCode, fields?: RefusalFields): this {
    this.#refusals.set(route, [...this.#refusals.get(route) ?? [], refusalOf(code, fields)]);
    return this;
  }

  /** Returns the requests that came to a route, oldest first. */
  requestsTo<Route extends keyof Routes>(route: Route): FakeRequest<Route>[] {
    return this.requests.filter((request) => request.route === route) as unknown as FakeRequest<Route>[];
  }

  async #respond(request: Request): Promise<Response> {
    const read = await readRequest(request);
    this.requests.push(read);
    const refusal = this.#refusals.get(read.route)?.shift();
    if (refusal) throw refusal;
    const responder = this.#responders.get(read.route);
    if (!responder) throw notScripted(read.route);
    const body = await responder(read);
    if (body === undefined) return new Response(null, { status: 204 });
    if (body instanceof Blob) return new Response(body);
    return typeof body === "string"
      ? new Response(body, { headers: { "Content-Type": "text/csv" } })
      : Response.json(body);
  }
}
