-- Returns what changed in companies, for the event streams of their members: one row per company, in one snapshot.
--
-- The row of a campaign, a sender, a message … says in xmin which transaction wrote it, and whatever a snapshot did not
-- see was written by transactions from its xmin on. So the xmin of one snapshot is where the next one begins, in any
-- process, however long a transaction takes. changed_xid finds these rows: it is the last writer's number, or at most
-- 1,000 below it (mark_change). No clock is involved.
--
-- p_since: the xmin of the last snapshot, or null to read none.
-- timeline: where these numbers count; next: this snapshot's xmin; latest: the last transaction of all; written: which
-- one wrote a change; complete_from: a reader whose cursor is before this may have missed changes, because more changed
-- than is read; members: who may see all this.
create function outbound.read_changes(p_companies uuid[], p_since bigint[])
returns table (
  company_id uuid, timeline text, next text, latest text, complete_from text, members uuid[], changes json
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- Of each kind, rows that are looked at and changes that are returned.
  c_max_rows constant int := 2000;
  c_max_changes constant int := 200;
  v_xmin constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_latest constant bigint := v_xmin::text::bigint + age(v_xmin::xid);
  v_timeline constant text := outbound.current_timeline();
  -- The age of a row is known up to two billion transactions.
  v_oldest constant bigint := v_latest - 1000000000;
begin
  return query
  select f.company_id, v_timeline, v_xmin::text, v_latest::text,
    greatest(found.complete_from, v_oldest)::text,
    array(select m.user_id from outbound.company_members as m where m.company_id = f.company_id),
    found.changes
  from unnest(p_companies, p_since) as f(company_id, since)
  left join lateral (
    select
      json_agg(json_build_object('type', c.kind, 'written', c.written::text, 'data', c.data))
        filter (where c.data is not null and c.newer < c_max_changes) as changes,
      greatest(
        max(c.oldest_mark + 1001) filter (where c.looked_at >= c_max_rows),
        max(c.written + 1) filter (where c.data is not null and c.newer >= c_max_changes)
      ) as complete_from
    from (
      select each.*, count(*) over source as looked_at, min(each.mark) over source as oldest_mark,
        row_number() over (partition by each.source order by each.written desc) - 1 as newer
      from (
        select * from outbound.changes_of_sending(
          f.company_id, greatest(f.since, v_oldest), v_latest, c_max_rows)
        union all
        select * from outbound.changes_of_people(
          f.company_id, greatest(f.since, v_oldest), v_latest, c_max_rows)
      ) as each
      window source as (partition by each.source)
    ) as c
  ) as found on f.since is not null;
end
$$;
revoke execute on function outbound.read_changes from public;
