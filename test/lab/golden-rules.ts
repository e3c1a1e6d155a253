import { RULES } from './world.ts';

/*
 * The golden configurations of the demo: what each kind of device should have. Every device differs in something.
 */

/** The time server that every device of the demo should ask. */
export const NTP_SERVER = '192.0.2.9';

/** Rules by kind of device. */
export const GOLDEN_RULES: readonly { device_type: string; ostype: string; template: string }[] = [
  {
    device_type: 'cisco_ios',
    ostype: 'cisco-ios',
    template: RULES,
  },
  {
    device_type: 'cisco_xr',
    ostype: 'cisco-ios-xr',
    template: `<e/>ntp
 <e/>server {{ ntp }}
hostname {/lab-.+/}
logging 192.0.2.8 vrf default severity info
{d/}telnet vrf default ipv4 server max-servers {/\\d+/}
ssh server v2
interface Loopback0
 description {/.+/}
`,
  },
  {
    device_type: 'cisco_nxos',
    ostype: 'cisco-nx',
    template: `<e/>ntp server {{ ntp }} use-vrf management
hostname {/lab-.+/}
logging server 192.0.2.8 5 use-vrf management
{d/}feature telnet
line vty
  exec-timeout 5
`,
  },
  {
    device_type: 'arista_eos',
    ostype: 'arista-eos',
    template: `<e/>ntp server {{ ntp }}
hostname {/lab-.+/}
logging host 192.0.2.8
management ssh
   idle-timeout 10
management telnet
   {d/}no shutdown
`,
  },
  {
    device_type: 'juniper_junos',
    ostype: 'juniper-junos',
    template: `system {
    host-name {/lab-.+/};
    services {
        ssh {
            root-login deny;
        }
        {d/}telnet;
    }
    <e/>ntp {
        <e/>server {{ ntp }};
    }
}
`,
  },
  {
    device_type: 'huawei_vrp',
    ostype: 'huawei-vrp',
    template: `<e/>ntp-service unicast-server {{ ntp }}
sysname {/lab-.+/}
info-center loghost 192.0.2.8
stelnet server enable
{d/}telnet server enable
interface LoopBack0
 description {/.+/}
`,
  },
  {
    device_type: 'hp_procurve',
    ostype: 'hp-procurve',
    template: `<e/>sntp server priority 1 {{ ntp }}
hostname {/"lab-.+"/}
logging 192.0.2.8
ip ssh
{d/}telnet-server
`,
  },
  {
    device_type: 'fortinet',
    ostype: 'fortinet-fortios',
    template: `config system ntp
    set ntpsync enable
    set type custom
    <e/>config ntpserver
        <e/>edit 1
            <e/>set server "{{ ntp }}"
        next
    end
end
config system global
    set hostname {/"lab-.+"/}
    set admin-telnet disable
end
`,
  },
  {
    device_type: 'nokia_sros',
    ostype: 'nokia-sros',
    template: `configure {
    system {
        name {/"lab-.+"/}
        time {
            ntp {
                admin-state enable
                <e/>server {{ ntp }} router-instance "Base" {
                    prefer true
                }
            }
        }
        security {
            {d/}telnet-server true
        }
    }
}
`,
  },
  {
    device_type: 'mikrotik_routeros',
    ostype: 'mikrotik-routeros',
    template: `/system ntp client
<e/>set enabled=yes
/system ntp client servers
<e/>add address={{ ntp }}
/ip service
{d/}set telnet disabled=no
`,
  },
];
