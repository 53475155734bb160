-- Leases up to p_limit due notifications to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up, and its campaign and its sender's rate are charged. choose_notifications and pick_due_notifications make
-- the choice, by the rules below; this function locks and leases it.
--
-- Skips recipients who have opted out, or who have not consented where that is needed: such a notification becomes
-- `skipped` (opted_out, no_consent), and is not returned. If the company has that rule, marketing to a person whom the
-- platform spares for a while (marketing_cooldowns) waits until then. Marketing is what a template's category says; of
-- a call, which has no template, its type.
--
-- A WhatsApp sender goes no faster than its rate; a voice sender has no more calls going on than it has lines.
-- Companies take turns; in each turn transactional goes before utility before marketing, then what was served longest
-- ago. Within a company transactional goes before utility before marketing, its senders take turns, and each sender's
-- longest due goes first. A round of a claim looks at no more than 64 senders (a sixteenth of p_limit, 16 at least);
-- another one follows where all that they have due is locked, and ten at most.
--
-- While a claim has a sender's rate state locked, other claims pass that sender by: claims of one sender never overlap,
-- and claims of different senders run side by side. They also pass by rows that another transaction has locked, and the
-- companies in p_except.
--
-- Returns {campaigns, messages}, or null if there is nothing to send, or the database is not the one that works; facts that messages share come once. A campaign:
--   company_id, campaign_id, sender_id; channel, platform_id, token_sealed, of its sender;
--   template_id, template_name, template_language, name_event, timezone, trace;
--   template_status, template_changed: the template as it is now: its state, and whether it needs other values than
--     when the request was accepted; null without a template;
--   is_marketing; sending_hours and, of marketing, frequency_caps: the company's (contact_rules); null where it has
--   none;
--   agent_disabled: the agent that was to make its calls may not call any more;
--   was_unreachable: the sender's last tries did not reach the platform: a response must be reported (adjust_senders);
--   test_account: of a sender of a test company its account: nothing leaves; null of any other;
--   by_marketing_endpoint: a template of category MARKETING, whose sender uses the platform's endpoint for marketing.
-- A message is an array: campaign_id, id, fence, attempt, number, user_id, message, expires_at in milliseconds since
-- 1970, and the seconds from when it was due until now.
create function outbound.claim_notifications(
  p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}'
)
returns json
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_chosen record;
  v_companies uuid[];
  v_ids uuid[];
  v_judged record;
  v_leased record;
  v_moves jsonb;
  v_claimed json;
begin
  if not outbound.is_active_cell() then
    return null;
  end if;
  select c.* into v_chosen from outbound.choose_notifications(p_limit, p_except) as c;
  if v_chosen.ids is not null then
    -- Locked before they are read, so that what follows sees what changed until then: a recipient's number too.
    select array_agg(n.company_id), array_agg(n.id) into v_companies, v_ids
    from unnest(v_chosen.companies, v_chosen.ids) as chosen(company_id, id)
    -- Lateral: one look-up per row. As a join it becomes, without statistics, a scan of everything that waits. So does
    -- the look-up when the condition on the state is written as in the indexes of what waits.
    cross join lateral (
      select w.company_id, w.id from outbound.queue as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status = 'queued' and w.run_at <= clock_timestamp() then true end
      for update skip locked
    ) as n;

    v_judged := outbound.judge_recipients(v_companies, v_ids);
    if v_judged.refused is not null then
      perform outbound.put_off_claimed(
        v_judged.refused_companies, v_judged.refused, v_judged.codes, v_judged.times);
    end if;
    v_leased := outbound.lease_notifications(p_worker, p_lease, v_judged.companies, v_judged.ids);
    v_claimed := v_leased.claimed;
    v_moves := coalesce(v_leased.moves, '[]') || coalesce(v_judged.moves, '[]');
    if v_moves <> '[]' then
      perform outbound.move_campaign_counters(v_moves);
    end if;

    if v_chosen.has_calls then
      perform outbound.open_calls(p_worker, v_chosen.companies, v_chosen.ids);
    end if;
  end if;
  if v_chosen.seen_senders is not null then
    perform outbound.schedule_senders(v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
  end if;
  if v_chosen.idle_senders <> '{}' then
    perform outbound.schedule_senders(
      v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
  end if;
  return v_claimed;
end
$$;
revoke execute on function outbound.claim_notifications from public;
