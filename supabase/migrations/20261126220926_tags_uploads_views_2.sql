set local lock_timeout = '2s';
set check_function_bodies = off;

create or replace trigger contacts_count_tags after insert on outbound.contacts
  referencing new table as new_rows for each statement execute function outbound.count_tags();

create or replace trigger contacts_recount_tags after update on outbound.contacts
  referencing old table as old_rows new table as new_rows for each statement execute function outbound.count_tags();

create or replace trigger contacts_discount_tags after delete on outbound.contacts
  referencing old table as old_rows for each statement execute function outbound.count_tags();

-- The tags of a company's contacts, so that a list of them reads no contacts (count_tags). One that no contact has is
-- deleted.
create table outbound.contact_tags (
  company_id uuid not null,
  -- In the order of its bytes, as a page reads on after one.
  tag text collate "C" not null,
  contacts int not null,
  constraint contact_tags_pkey primary key (company_id, tag),
  constraint contact_tags_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 80);

alter table outbound.contact_tags enable row level security;

-- Filters of a list that a member named, to find them again. For the member alone: no audit.
create table outbound.member_views (
  company_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  -- The list: campaigns, contacts, conversations.
  screen text not null,
  name text not null,
  -- As the console's address has them.
  query text not null,
  created_at timestamptz not null default now(),
  constraint member_views_pkey primary key (company_id, user_id, id),
  constraint member_views_name_key unique (company_id, user_id, screen, name),
  constraint member_views_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade,
  constraint member_views_screen_check check (screen in ('campaigns', 'contacts', 'conversations'))
);

alter table outbound.member_views enable row level security;

-- Returns the first p_limit tags of a company's contacts after p_after, in the order of their bytes, and how many
-- contacts have each.
create or replace function outbound.list_tags(p_company_id uuid, p_after text, p_limit int)
returns table (tag text, contacts int)
language plpgsql stable security invoker set search_path = ''
-- A page: by the company's index in its order.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set jit = off
as $$
begin
  return query
  select t.tag, t.contacts from outbound.contact_tags as t
  where t.company_id = p_company_id and t.tag > p_after order by t.tag limit p_limit;
end
$$;

revoke execute on function outbound.list_tags from public;

-- Deletes old records of what was done: tries to send, the audit log, uploads, what members typed and did not save. A
-- step of clean_up.
create or replace function outbound.clean_up_records(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_delivery_attempts int;
  v_audit_log int;
  v_campaign_uploads int;
  v_unfinished int;
  v_member_drafts int;
begin
  delete from outbound.delivery_attempts as a where a.ctid = any (array(
    select o.ctid from outbound.delivery_attempts as o where o.finished_at < now() - interval '90 days'
    order by o.finished_at limit p_limit for update skip locked));
  get diagnostics v_delivery_attempts = row_count;

  delete from outbound.audit_log as l where l.ctid = any (array(
    select o.ctid from outbound.audit_log as o where o.at < now() - interval '2 years'
    order by o.at limit p_limit for update skip locked));
  get diagnostics v_audit_log = row_count;

  delete from outbound.campaign_uploads as u where u.ctid = any (array(
    select o.ctid from outbound.campaign_uploads as o where o.created_at < now() - interval '2 years'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_campaign_uploads = row_count;

  -- With the members of their audiences.
  delete from outbound.campaign_uploads as u where u.ctid = any (array(
    select o.ctid from outbound.campaign_uploads as o
    where o.completed_at is null and o.created_at < now() - interval '90 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_unfinished = row_count;

  delete from outbound.member_drafts as d where d.ctid = any (array(
    select o.ctid from outbound.member_drafts as o where o.updated_at < now() - interval '30 days'
    order by o.updated_at limit p_limit for update skip locked));
  get diagnostics v_member_drafts = row_count;

  return jsonb_build_object(
    'delivery_attempts', v_delivery_attempts, 'audit_log', v_audit_log, 'campaign_uploads', v_campaign_uploads + v_unfinished,
    'member_drafts', v_member_drafts
  );
end
$$;

revoke execute on function outbound.clean_up_records from public;

reset check_function_bodies;
