{
  description = "Safelight: encrypted vaults for photos on the home network";

  outputs = { self }: {
    nixosModules.default = ./packaging/nixos/module.nix;
  };
}
