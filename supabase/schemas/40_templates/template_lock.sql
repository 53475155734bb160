-- Returns the key of the advisory lock that serialises writers of template state; two transactions that update many
-- templates would deadlock.
create function outbound.template_lock()
returns bigint
language sql immutable security invoker set search_path = ''
as $$ select hashtextextended('outbound.templates', 0) $$;
revoke execute on function outbound.template_lock from public;
