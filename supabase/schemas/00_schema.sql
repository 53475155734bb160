-- Everything of this service is in schema outbound. Nothing in it is exposed: no grants, row level security on and no
-- policies, so only the owner of the tables can use it, and a role that grant_service() names. Functions run as their
-- caller.
--
-- The files of supabase/schemas describe the database as it is now, in the order of their names. A function has its own
-- file, unless it only serves another one. "Changing the database" in docs/operations.md says how to edit them.
--
-- Cost of functions. A query in SQL is planned at every call, in PL/pgSQL once per connection. A function with a
-- search_path of its own, as all of ours have, is never inlined: a call costs 2 to 3 µs. Where a function would be
-- called for each row of a batch, the statement contains its expression instead (write_notification_events).
--
-- Plans. A function that forbids a kind of plan (set enable_… = off) also sets jit = off: a forbidden plan that is the
-- only one counts as 10 billion, and Postgres would compile it at every call.
--
-- Lock order. Every function locks in this order, so that any number of them can run at once without a deadlock:
--   0. resends, uploads; archive files by their worker
--   1. access keys, by hash, then their use, by day
--   2. the sender, then its rate state
--   3. the template
--   4. the signals of accounts, then platform events
--   5. notifications: their rows of the queue, by id, then those of their facts, by id; all of a transaction's
--      notifications in one statement each
--   6. delivery attempts
--   7. calls
--   8. campaigns, by id, then their prices
--   9. the lock of deliveries, webhook deliveries, then their events, then the webhook, then its
--      schedule, then its history
--   10. recipients' rights: user ids, suppressions, consents, messages, by address; replies that are sent, by id; then
--       threads; then the company's lock of people (lock_people), then its contacts; then files of people's messages,
--       and their schedule, by company
--   11. the schedule of replies, by company and sender
--   12. the schedule of senders, by sender id
--   13. push subscriptions, then push notices
-- A function that needs a row out of this order takes it only if it can lock it at once (skip locked).
create schema outbound;
revoke all on schema outbound from public;

-- Functions in SQL are checked when they are created, and some are created before the functions that they use. A test
-- checks all of them afterwards.
set check_function_bodies = off;

-- Numbers that several functions need. A constant has no cost at run time: the planner replaces the call by its
-- value.

-- How often a notification is tried. MAX_ATTEMPTS in _shared/dispatching/retry_delay.ts is the same number.
create function outbound.max_attempts()
returns int
language sql immutable security invoker set search_path = ''
return 5;
revoke execute on function outbound.max_attempts from public;

-- After how many failures in a row to reach the platform a sender's breaker opens.
create function outbound.breaker_threshold()
returns int
language sql immutable security invoker set search_path = ''
return 5;
revoke execute on function outbound.breaker_threshold from public;

-- After how many failures in a row a company's endpoint counts as failing; it then gets one request at a time.
create function outbound.endpoint_fails_after()
returns int
language sql immutable security invoker set search_path = ''
return 3;
revoke execute on function outbound.endpoint_fails_after from public;

-- How many requests an endpoint gets at a time otherwise.
create function outbound.max_requests_per_endpoint()
returns int
language sql immutable security invoker set search_path = ''
return 16;
revoke execute on function outbound.max_requests_per_endpoint from public;

-- After how long without an attempt of a sender an outage of its platform is over: it has nothing left to send.
create function outbound.outage_ends_after()
returns interval
language sql immutable security invoker set search_path = ''
return interval '2 minutes';
revoke execute on function outbound.outage_ends_after from public;

-- The states in which a call occupies one of its sender's lines: it was claimed and is not known to be over. The index
-- queue_calls_idx and the column on_call of notification_facts spell them out again, because neither can depend on a
-- function's value.
create function outbound.ongoing_call_states()
returns text[]
language sql immutable security invoker set search_path = ''
return '{sending,unconfirmed,sent}'::text[];
revoke execute on function outbound.ongoing_call_states from public;
