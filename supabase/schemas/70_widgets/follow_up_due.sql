-- Returns when a reply of now is followed up by e-mail, unless the visitor reads it before; null for a widget that sends
-- no follow-ups. The default is that of the configuration (_shared/widgets/widget_config.ts).
create function outbound.follow_up_due(p_company_id uuid, p_widget_id uuid)
returns timestamptz
language sql stable security invoker set search_path = ''
return (
  select now() + make_interval(mins => coalesce((w.config #>> '{follow_up,send_after_minutes}')::int, 10))
  from outbound.widgets as w
  where w.company_id = p_company_id and w.id = p_widget_id and jsonb_typeof(w.config -> 'follow_up') = 'object'
);
revoke execute on function outbound.follow_up_due from public;
