import type postgres from "postgres";

/** Claims that dispatchers made. */
export interface ClaimCounts {
  claims: number;
  /** Claims that returned nothing. */
  empty: number;
  /** Of these, claims during which a sender had something due and no other claim had that sender. */
  missed: number;
}

/** Puts a counter around `claim_notifications` of one database, before dispatchers connect to it. */
export async function countClaims(sql: postgres.Sql): Promise<() => Promise<ClaimCounts>> {
  const [claim] = await sql<{ parameters: string; result: string }[]>`
    select pg_get_function_arguments(oid) as parameters, pg_get_function_result(oid) as result
    from pg_proc where oid = 'outbound.claim_notifications'::regproc`;
  await sql.unsafe(`
    create schema bench;
    create sequence bench.claims;
    create sequence bench.empty;
    create sequence bench.missed;
    alter function outbound.claim_notifications rename to claim_uncounted;
    create function outbound.claim_notifications(${claim!.parameters}) returns ${claim!.result}
    language plpgsql set search_path = '' as $$
    declare
      v_claimed constant json := outbound.claim_uncounted(p_worker, p_limit, p_lease, p_except);
    begin
      perform nextval('bench.claims');
      if v_claimed is not null then return v_claimed; end if;
      perform nextval('bench.empty');
      perform from outbound.sender_schedule as t
      cross join lateral (
        select from outbound.sender_rate_state as r where r.sender_id = t.sender_id and r.company_id = t.company_id
          and outbound.available_tokens(r, 1000000) >= 1 and (r.blocked_until > now()) is not true
        for no key update skip locked
      ) as free
      cross join lateral (
        select from outbound.queue as n
        where n.sender_id = t.sender_id and n.status = 'queued' and n.run_at <= now()
        limit 1 for update skip locked
      ) as due
      limit 1;
      if found then perform nextval('bench.missed'); end if;
      return null;
    end
    $$`);
  return async () => {
    const count = (name: string) =>
      sql`(select case when is_called then last_value else 0 end::int from ${sql(`bench.${name}`)})`;
    const [counts] = await sql<ClaimCounts[]>`
      select ${count("claims")} as claims, ${count("empty")} as empty, ${count("missed")} as missed`;
    return counts!;
  };
}
