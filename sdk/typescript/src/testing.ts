/**
 * For tests of programs that use the client: a service in memory, without a network.
 *
 * @module
 */
export { FakeService, type Responder } from "./testing/fake_service.ts";
export type { FakeRequest } from "./testing/fake_request.ts";
export type { RefusalCode, RefusalFields } from "./testing/fake_refusal.ts";
export type { Routes } from "./generated/routes.gen.ts";
