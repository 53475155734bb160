-- Returns the entries of a page of contact_timeline, each as its kind shows it; null for what was deleted meanwhile. at
-- is text, with microseconds.
create function outbound.read_timeline(
  p_company_id uuid, p_contact_id uuid, p_at timestamptz, p_id uuid, p_limit int
)
returns table (at text, id uuid, kind text, entry json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), t.id, t.kind,
    case t.kind
      when 'notification' then outbound.describe_notification(p_company_id, t.id)
      when 'message' then (
        select json_build_object('direction', m.direction, 'message_kind', m.kind, 'text', m.text, 'content', m.content,
          'status', m.status, 'purpose', m.purpose, 'sender_id', m.sender_id, 'campaign_id', m.campaign_id,
          'notification_id', m.notification_id, 'code', m.error_code, 'reason', m.error_reason)
        from outbound.contact_messages as m where m.company_id = p_company_id and m.id = t.id
      )
      when 'chat' then (
        select json_build_object('conversation_id', v.id, 'widget_id', v.widget_id, 'status', v.status,
          'messages', v.last_sequence, 'last_message_at', outbound.iso_time(v.last_message_at), 'page_url', v.page_url)
        from outbound.conversations as v where v.company_id = p_company_id and v.id = t.id
      )
      when 'opt_out' then (
        select json_build_object('address', s.address, 'channel', s.channel, 'category', s.category, 'source', s.source,
          'said_at', outbound.iso_time(s.at), 'lifted_at', outbound.iso_time(s.lifted_at), 'lifted_by', s.lifted_by)
        from outbound.suppressions as s where s.company_id = p_company_id and s.id = t.id
      )
      when 'consent' then (
        select json_build_object('address', c.address, 'channel', c.channel, 'category', c.category, 'status', c.status,
          'method', c.method, 'detail', c.detail, 'source', c.source)
        from outbound.consents as c where c.company_id = p_company_id and c.id = t.id
      )
      when 'change' then (
        select json_build_object('actor', l.actor, 'action', l.action, 'after', l.after)
        from outbound.audit_log as l where l.company_id = p_company_id and l.id = t.id
      )
    end
  from outbound.contact_timeline(p_company_id, p_contact_id, p_at, p_id, p_limit) as t
  order by t.at desc, t.id desc;
end
$$;
revoke execute on function outbound.read_timeline from public;

-- Returns a notification with its tries and its call, and the components of its template as long as they have the form
-- that was sent.
create function outbound.describe_notification(p_company_id uuid, p_id uuid)
returns json
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return (
    select json_build_object('campaign_id', n.campaign_id, 'campaign_name', g.name, 'channel', g.channel,
      'address', coalesce(n.number, n.user_id), 'status', n.status, 'code', n.error_code, 'reason', n.error_reason,
      'sent_at', outbound.iso_time(n.sent_at), 'delivered_at', outbound.iso_time(n.delivered_at),
      'read_at', outbound.iso_time(n.read_at), 'replied_at', outbound.iso_time(n.replied_at),
      'failed_at', outbound.iso_time(n.failed_at), 'skipped_at', outbound.iso_time(n.skipped_at),
      'template_name', g.template_name, 'message', n.message,
      'components', (
        select t.components from outbound.templates as t
        where t.company_id = p_company_id and t.id = g.template_id and t.shape = g.template_shape
      ),
      'attempts', array(
        select json_build_object('started_at', outbound.iso_time(a.started_at),
          'finished_at', outbound.iso_time(a.finished_at), 'outcome', a.outcome, 'code', a.error_code,
          'reason', a.reason)
        from outbound.delivery_history as a
        where a.company_id = p_company_id and a.notification_id = n.id order by a.fence
      ),
      'call', (
        select json_build_object('outcome', k.outcome, 'duration_s', k.duration_s, 'summary', k.summary)
        from outbound.calls as k where n.voice and k.company_id = n.company_id and k.notification_id = n.id
      ))
    from outbound.notifications as n
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    where n.company_id = p_company_id and n.id = p_id
  );
end
$$;
revoke execute on function outbound.describe_notification from public;
