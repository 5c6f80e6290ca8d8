// terraform.mjs: the real Terraform with a copy of its AWS provider. Tests that need it are skipped, with a loud line, where one of both is missing: TERRAFORM_MIRROR
// names a folder with the provider.
import assert from 'node:assert';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';

export const provider = '5.100.0';
const holdsProvider = (folder) => existsSync(path.join(folder, 'registry.terraform.io/hashicorp/aws', provider));
const folders = [process.env.TERRAFORM_MIRROR, '/usr/local/share/terraform/plugins', ...(existsSync('/opt') ? readdirSync('/opt').map((name) => `/opt/${name}`) : [])];
const mirror = folders.find((folder) => folder && holdsProvider(folder));

// Why the tests of a file are skipped; false: they are not.
export function lacksTerraform(what) {
    const found = spawnSync('terraform', ['version'], { env: { PATH: process.env.PATH } }).status === 0;
    const lacks = !found ? 'terraform' : mirror ? undefined : `the AWS provider ${provider} for terraform`;
    if (lacks) console.log(`!! SKIPPED: ${lacks} is not here, so ${what} not tested with the real Terraform`);
    return lacks ? `${lacks} is not here` : false;
}

// The environment of every run of it. HOME is the test's folder.
export function terraformEnvironment(folder) {
    const rc = path.join(folder, 'terraform.rc');
    writeFileSync(rc, `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`);
    return { PATH: process.env.PATH, HOME: folder, TF_CLI_CONFIG_FILE: rc, CHECKPOINT_DISABLE: '1' };
}

export class Terraform {
    constructor(folder, environment) {
        this.folder = folder;
        this.environment = environment;
    }
    async run(...args) {
        const child = spawn('terraform', [...args, '-no-color'], { cwd: this.folder, env: this.environment });
        let output = '';
        child.stdout.on('data', (data) => { output += data; });
        child.stderr.on('data', (data) => { output += data; });
        const code = await new Promise((resolve) => child.on('close', resolve));
        return { code, output };
    }
    async works(...args) {
        const { code, output } = await this.run(...args);
        assert.strictEqual(code, 0, `terraform ${args.join(' ')}: ${output}`);
        return output;
    }
}
