-- Returns what changed in companies, for the event streams of their members: one row per company, in one snapshot.
--
-- How changes are found: nothing is written for it. The row of a campaign, a sender, a message … says in xmin which
-- transaction wrote it, and whatever a snapshot did not see was written by transactions from its xmin on. So the xmin
-- of one snapshot is where the next one begins, in any process, and a transaction that takes long is not missed, which
-- a column with a time could not promise. An index on a coarse time keeps this from reading more than what was touched
-- in the last minutes; p_from must be early enough to include every transaction that was open.
--
-- p_since: the xmin of the last snapshot, or null to read none; p_from: its time, less the margin.
-- next: this snapshot's xmin; latest: the last transaction of all; written: which one wrote a change, in the same
-- numbers; full: the kinds of which there was more than fits; members: who may see all this.
create function outbound.read_changes(p_companies uuid[], p_since xid8[], p_from timestamptz[])
returns table (
  company_id uuid, next text, latest text, at timestamptz, members uuid[], changes json, is_full text[]
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  c_limit constant int := 200;
  v_xmin constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_latest constant bigint := v_xmin::text::bigint + age(v_xmin::xid);
begin
  return query
  select f.company_id, v_xmin::text, v_latest::text, now(),
    array(select m.user_id from outbound.company_members as m where m.company_id = f.company_id),
    found.changes, coalesce(found.is_full, '{}')
  from unnest(p_companies, p_since, p_from) as f(company_id, since, since_at)
  left join lateral (
    select json_agg(json_build_object(
        'type', c.kind, 'written', (v_latest - c.written_ago)::text, 'data', c.data)) as changes,
      array_agg(distinct c.kind) filter (where c.of_kind >= c_limit) as is_full
    from (
      select each.*, count(*) over (partition by each.kind) as of_kind
      from (
        select * from outbound.changes_of_sending(f.company_id, f.since::xid, f.since_at, c_limit)
        union all
        select * from outbound.changes_of_people(f.company_id, f.since::xid, f.since_at, c_limit)
      ) as each
    ) as c
  ) as found on f.since is not null;
end
$$;
revoke execute on function outbound.read_changes from public;
